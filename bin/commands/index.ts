import type { CommandDescription } from '#bin/command_line/command.ts'

import { account } from './account.ts'
import { ask } from './ask.ts'
import { backfill } from './backfill.ts'
import { chains } from './chains.ts'
import { demo } from './demo.ts'
import { follow } from './follow.ts'
import { key } from './key.ts'
import { maintain } from './lake/maintain.ts'
import { repair } from './lake/repair.ts'
import { reparse } from './lake/reparse.ts'
import { verify } from './lake/verify.ts'
import { probe } from './probe.ts'
import { exportFile } from './scores/export.ts'
import { score } from './scores/score.ts'
import { serve } from './serve.ts'
import { signal } from './signal.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import { validate } from './validate.ts'
import { worker } from './worker.ts'

/** The commands by name, in the order in which help shows them. */
export const commands: Readonly<Record<string, CommandDescription>> = {
  demo,
  start,
  follow,
  worker,
  serve,
  backfill,
  score,
  validate,
  export: exportFile,
  status,
  signal,
  maintain,
  verify,
  repair,
  chains,
  probe,
  reparse,
  account,
  key,
  ask,
}

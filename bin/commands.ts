import { backfill } from './backfill.ts'
import { demo } from './demo.ts'
import { key } from './key.ts'
import { reparse } from './reparse.ts'
import { score } from './score.ts'
import { serve } from './serve.ts'
import { start } from './start.ts'
import { status } from './status.ts'
import type { Command } from './usage.ts'

/** The commands by name, in the order in which help shows them. */
export const commands: Record<string, Command> = { demo, start, serve, backfill, score, status, reparse, key }

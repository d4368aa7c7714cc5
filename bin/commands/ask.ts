import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { pino } from 'pino'

import { openRequestBuffer } from '#accounts/request_buffer.ts'
import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { withReadableHome } from '#bin/report/read_only_home.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import { chatModelOf } from '#bin/wiring/chat_model.ts'
import type { Config } from '#config.ts'
import { openMarts } from '#snapshots/marts.ts'
import { ofService } from '#snapshots/queries.ts'
import { machineClock } from '#time.ts'

const mostCharacters = 500

/** `tapeline ask`: answers a question from the published snapshots, without a running service. */
export const ask = defineCommand({
  reads: 'home',
  summary:
    'Answer a question in plain words from the published snapshots: `tapeline ask who are the sharpest traders`.',
  define: (command) => command.argument('<question...>', 'The question.'),
  run: async (_options, config, [words]) => {
    const question = words.join(' ').trim()
    if (question === '' || question.length > mostCharacters) {
      throw new UsageError(`<question>: ${question.length} characters; expected 1 to ${mostCharacters}`)
    }
    return withReadableHome(config, (readable) => answer(readable, question))
  },
})

async function answer(config: Config, question: string): Promise<number> {
  // Most commands ask nothing, and the API takes longer to load than the other modules of a command.
  const [{ openAssistant }, { ApiError }] = await Promise.all([
    import('#api/assistant.ts'),
    import('#api/contract/errors.ts'),
  ])
  const dir = join(config.home, 'marts')
  await mkdir(dir, { recursive: true })
  const accounts = await openAccountsOf(config)
  const marts = await openMarts({ dir, now: machineClock, poll_ms: 60_000 })
  try {
    const assistant = await openAssistant({
      marts,
      accounts,
      now: machineClock,
      log: pino({ level: 'silent' }),
      requests: openRequestBuffer(accounts, machineClock),
      readBalances: async ({ chain: { slug } }) => {
        throw new Error(`balances of ${slug}: not read by this command; expected the last known ones`)
      },
      ...chatModelOf(config),
    })
    const { text } = await assistant.ask(question, { ...operator, asking: ofService() })
    process.stdout.write(`${text}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    process.stderr.write(`${error.message}\n`)
    return 1
  } finally {
    await marts.close()
    await accounts.destroy()
  }
}

/** The operator reads all, as an enterprise account without watchlists. */
const operator = {
  caller: { account_id: 'operator', tier: 'enterprise', key_id: null },
  rate: { limit: 0, remaining: 0, reset_s: 0 },
} as const

import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { tierNames } from '#accounts/tiers.ts'
import { readArgs, textOf, UsageError, type Command } from '#bin/args.ts'
import { machineClock } from '#time.ts'

/** `tapeline key create`: prints the key, alone. Only its hash is kept; a running service honours it at once. */
export const key: Command = {
  usage: `key create --tier ${tierNames.join('|')}`,
  doc: 'Create an account with an API key, and print the key once.',
  run: async (args, { home }) => {
    const { values, positionals } = readArgs(args, { tier: { type: 'string' } }, ['create'])
    if (positionals[0] !== 'create') throw new UsageError(`key ${positionals[0]}: there is only key create`)
    const wanted = textOf(values['tier'])
    const tier = tierNames.find((name) => name === wanted)
    if (tier === undefined)
      throw new UsageError(`--tier ${wanted ?? 'is missing'}: expected one of ${tierNames.join(', ')}`)
    await mkdir(home, { recursive: true })
    const accounts = await openAccounts(join(home, 'accounts.db'))
    try {
      process.stdout.write(`${await createKey(accounts, { tier, now: machineClock() })}\n`)
      return 0
    } finally {
      await accounts.destroy()
    }
  },
}

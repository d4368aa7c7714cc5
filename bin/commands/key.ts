import { existsSync } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { addKey, listKeys, maxKeys, revokeKey } from '#accounts/account_keys.ts'
import type { Accounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { tierNames } from '#accounts/tiers.ts'
import { defineCommand, defineGroup } from '#bin/command_line/command.ts'
import { runningDemos } from '#bin/demo/running_demos.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import type { Config } from '#config.ts'
import { machineClock } from '#time.ts'

import { accountOf, instant, printTable } from './account.ts'

/**
 * `tapeline key create`: prints the key and nothing else. Only its hash is stored. A running service and every running
 * demo accept the key at once.
 */
const create = defineCommand({
  summary: 'Create an account with an API key, and print the key once. A running service or demo accepts it at once.',
  define: (command) =>
    command.addOption(
      command.createOption('--tier <tier>', 'The tier of the key.').choices(tierNames).makeOptionMandatory(),
    ),
  run: async ({ tier }, config) => {
    const now = machineClock()
    await mkdir(config.home, { recursive: true })
    const created = await withAccounts(config, (accounts) => createKey(accounts, { tier, now }))
    for (const demo of await demosOf(config)) {
      await withAccounts(demo, (accounts) => createKey(accounts, { tier, now, key: created }))
      process.stderr.write(`the key also works in the demo at ${demo.url}\n`)
    }
    process.stdout.write(`${created}\n`)
    return 0
  },
})

const add = defineCommand({
  reads: 'accounts',
  summary: 'Create an API key of an existing account, and print it once.',
  define: (command) => command.argument('<account>', 'The id or e-mail of the account.'),
  run: async (_options, config, [account]) => {
    const added = await withAccounts(config, async (accounts) => {
      const { id } = await accountOf(accounts, account)
      return addKey(accounts, { account_id: id, actor: 'operator', now: machineClock() }, '')
    })
    if (!added) throw new Error(`${account}: ${maxKeys} valid keys exist; expected fewer before a new one`)
    process.stdout.write(`${added.key}\n`)
    return 0
  },
})

const list = defineCommand({
  reads: 'accounts',
  summary: 'List the valid keys of an account: id, first characters, name, creation and last use.',
  define: (command) => command.argument('<account>', 'The id or e-mail of the account.'),
  run: async (_options, config, [account]) => {
    const keys = await withAccounts(config, async (accounts) =>
      listKeys(accounts, (await accountOf(accounts, account)).id),
    )
    printTable(
      keys.map(({ id, start, name, created_at, last_used_at }) => [
        id,
        start,
        name || '-',
        instant(created_at),
        instant(last_used_at),
      ]),
    )
    return 0
  },
})

const revoke = defineCommand({
  summary: 'Revoke an API key. Every node rejects it within five seconds.',
  define: (command) => command.argument('<key>', 'The key, its id or its first 14 characters.'),
  run: async (_options, config, [key]) => {
    let n_revoked = 0
    const homes = config.database !== undefined || existsSync(config.home) ? [config] : []
    for (const place of [...homes, ...(await demosOf(config))]) {
      const n = await withAccounts(place, (accounts) => revokeKey(accounts, { key, now: machineClock() }))
      if (n > 1) throw new Error(`key: ${n} valid keys begin so; expected the id of one, from \`tapeline key list\``)
      n_revoked += n
    }
    if (n_revoked === 0) throw new Error('key: unknown or revoked; expected a valid key, its id or first characters')
    return 0
  },
})

export const key = defineGroup('Create, list and revoke API keys.', { create, add, list, revoke })

/** The folder of the demo that runs over a home. */
export const demoHome = (home: string): string => join(home, 'demo')

const script = fileURLToPath(new URL('../tapeline.js', import.meta.url))

/** The command that creates a key for a running demo. It works in any terminal in the same folder. */
export const keyCommand = (): string => `node ${quote(relative('.', script))} key create --tier pro`

/** A word quoted for a POSIX shell. */
const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

type Place = Pick<Config, 'home' | 'database'>

async function withAccounts<T>(place: Place, work: (accounts: Accounts) => Promise<T>): Promise<T> {
  const accounts = await openAccountsOf(place)
  try {
    return await work(accounts)
  } finally {
    await accounts.destroy()
  }
}

/** The stores of running demos, apart from the given one. */
async function demosOf({ home }: Place): Promise<(Place & { url: string })[]> {
  const demos = (await runningDemos()).filter((demo) => resolve(demo.home) !== resolve(home))
  const existing: (Place & { url: string })[] = []
  for (const demo of demos)
    if (await stat(join(demo.home, 'accounts.db')).catch(() => null)) existing.push({ ...demo, database: undefined })
  return existing
}

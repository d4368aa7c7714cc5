import { mkdir, stat } from 'node:fs/promises'
import { join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { tierNames } from '#accounts/tiers.ts'
import { defineCommand, defineGroup } from '#bin/command_line/command.ts'
import { machineClock } from '#time.ts'

/**
 * `tapeline key create`: prints the key and nothing else. Only its hash is stored. A running service and the demo of
 * this home accept the key at once.
 */
const create = defineCommand({
  summary: 'Create an account with an API key, and print the key once. A running service or demo accepts it at once.',
  define: (command) =>
    command.addOption(
      command.createOption('--tier <tier>', 'The tier of the key.').choices(tierNames).makeOptionMandatory(),
    ),
  run: async ({ tier }, { home }) => {
    await mkdir(home, { recursive: true })
    const now = machineClock()
    const key = await addKey(home, { tier, now })
    if (await hasAccounts(demoHome(home))) await addKey(demoHome(home), { tier, now, key })
    process.stdout.write(`${key}\n`)
    return 0
  },
})

export const key = defineGroup('Create API keys.', { create })

/** The folder of the demo that runs over a home. */
export const demoHome = (home: string): string => join(home, 'demo')

const script = fileURLToPath(new URL('../tapeline.js', import.meta.url))

/** The command that creates a key for the demo of a home. It works in any terminal in the same folder. */
export function keyCommand(home: string): string {
  const environment = resolve(home) === resolve('data') ? '' : `TAPELINE_HOME=${quote(resolve(home))} `
  return `${environment}node ${quote(relative('.', script))} key create --tier pro`
}

/** A word quoted for a POSIX shell. */
const quote = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)

async function addKey(home: string, of: Parameters<typeof createKey>[1]): Promise<string> {
  const accounts = await openAccounts(accountsOf(home))
  try {
    return await createKey(accounts, of)
  } finally {
    await accounts.destroy()
  }
}

const accountsOf = (home: string): string => join(home, 'accounts.db')

const hasAccounts = (home: string): Promise<boolean> =>
  stat(accountsOf(home)).then(
    () => true,
    () => false,
  )

import type { Accounts } from '#accounts/accounts.ts'
import { listEvents, recordEvent } from '#accounts/audit.ts'
import { disableAccount, enableAccount, findAccount, listAccounts, setTier, type AccountRow } from '#accounts/people.ts'
import { tierNames } from '#accounts/tiers.ts'
import { defineCommand, defineGroup } from '#bin/command_line/command.ts'
import { numberOf } from '#bin/command_line/values.ts'
import { openAccountsOf } from '#bin/wiring/accounts.ts'
import type { Config } from '#config.ts'
import { machineClock, type Micros } from '#time.ts'

const list = defineCommand({
  reads: 'accounts',
  summary: 'List accounts: id, e-mail, tier, valid keys, creation, and the time when they were disabled.',
  define: (command) => command,
  run: (_options, config) =>
    onAccounts(config, async (accounts) => {
      const rows = await listAccounts(accounts)
      printTable(rows.map((row) => [row.id, row.email ?? '-', row.tier, `${row.n_keys}`, ...times(row)]))
    }),
})

const setTierCommand = defineCommand({
  reads: 'accounts',
  summary: 'Set the tier of an account. Every node applies it within five seconds.',
  define: (command) =>
    command
      .argument('<account>', 'The id or e-mail of the account.')
      .addArgument(command.createArgument('<tier>', 'Its new tier.').choices(tierNames)),
  run: (_options, config, [account, tier]) =>
    onAccounts(config, async (accounts) => {
      const { id } = await accountOf(accounts, account)
      await setTier(accounts, { account_id: id, tier, now: machineClock() })
    }),
})

const disable = defineCommand({
  reads: 'accounts',
  summary: 'Disable an account: its keys and sessions end within five seconds.',
  define: (command) => command.argument('<account>', 'The id or e-mail of the account.'),
  run: (_options, config, [account]) =>
    onAccounts(config, async (accounts) => {
      const { id } = await accountOf(accounts, account)
      await disableAccount(accounts, { account_id: id, now: machineClock() })
    }),
})

const enable = defineCommand({
  reads: 'accounts',
  summary: 'Enable a disabled account: its keys work again.',
  define: (command) => command.argument('<account>', 'The id or e-mail of the account.'),
  run: (_options, config, [account]) =>
    onAccounts(config, async (accounts) => {
      const { id } = await accountOf(accounts, account)
      await enableAccount(accounts, { account_id: id, now: machineClock() })
    }),
})

/** Prints the link that the service would send. The link is a secret for an hour. */
const resetLink = defineCommand({
  reads: 'accounts',
  summary: 'Print a link that resets the password of a person. It works once, for an hour.',
  define: (command) =>
    command.addOption(
      command.createOption('--email <e-mail>', 'The e-mail with which the person signs in.').makeOptionMandatory(),
    ),
  run: ({ email }, config) =>
    onAccounts(config, async (accounts) => {
      const { id } = await accountOf(accounts, email)
      // Loaded here, since its library is half of all modules of the command line.
      const { openSignIn } = await import('#accounts/sign_in/sign_in.ts')
      const links: string[] = []
      const { host, port } = config.listen
      const publicUrl = config.publicUrl ?? `http://${host}:${port}`
      const sendResetLink = ({ url }: { url: string }) => void links.push(url)
      const signIn = await openSignIn({ accounts, now: machineClock, publicUrl, sendResetLink })
      await signIn.requestReset({ email, network: '' })
      await recordEvent(accounts, {
        at: machineClock(),
        account_id: id,
        event: 'reset_link_printed',
        actor: 'operator',
      })
      process.stdout.write(links.map((link) => `${link}\n`).join(''))
    }),
})

const audit = defineCommand({
  reads: 'accounts',
  summary: 'List security-relevant events, the newest first: time, event, actor, account, network and details.',
  define: (command) =>
    command
      .argument('[account]', 'The id or e-mail of one account.')
      .option('--most <n>', 'At most so many; 100 by default.', numberOf('--most', { least: 1, most: 100_000 })),
  run: ({ most = 100 }, config, [account]) =>
    onAccounts(config, async (accounts) => {
      const filter = account === undefined ? {} : { account_id: (await accountOf(accounts, account)).id }
      const events = await listEvents(accounts, { ...filter, most })
      printTable(
        events.map((event) => [
          instant(event.at),
          event.event,
          event.actor,
          event.account_id ?? '-',
          event.network ?? '-',
          JSON.stringify(event.detail),
        ]),
      )
    }),
})

export const account = defineGroup('List accounts, set their tiers, disable them and see their security events.', {
  list,
  'set-tier': setTierCommand,
  disable,
  enable,
  'reset-link': resetLink,
  audit,
})

/** The account of an id or e-mail. Throws if there is none. */
export async function accountOf(accounts: Accounts, idOrEmail: string): Promise<AccountRow> {
  const row = await findAccount(accounts, idOrEmail)
  if (!row) throw new Error(`account ${idOrEmail}: unknown; expected an id or e-mail of \`tapeline account list\``)
  return row
}

/** `2026-01-31T12:00:00.000Z`; `-` for none. */
export const instant = (at: Micros | null): string => (at === null ? '-' : new Date(at / 1_000).toISOString())

/** Writes rows as lines with tabs between the cells. */
export const printTable = (rows: readonly (readonly string[])[]): void =>
  void process.stdout.write(rows.map((cells) => `${cells.join('\t')}\n`).join(''))

const times = ({ created_at, disabled_at }: AccountRow): string[] => [instant(created_at), instant(disabled_at)]

async function onAccounts(config: Config, work: (accounts: Accounts) => Promise<void>): Promise<number> {
  const accounts = await openAccountsOf(config)
  try {
    await work(accounts)
    return 0
  } finally {
    await accounts.destroy()
  }
}

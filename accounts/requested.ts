import type { Accounts, Micros } from './accounts.ts'

/** More than this is nobody's question: whoever asks for addresses at random fills no disk. */
const maxRequests = 100_000

/** Notes addresses that were asked for and never pulled; one that is noted keeps its first instant. */
export async function requestIngestion(accounts: Accounts, of: { addresses: string[]; now: Micros }): Promise<void> {
  const { n } = await accounts
    .selectFrom('wanted')
    .select(({ fn }) => fn.countAll<number>().as('n'))
    .executeTakeFirstOrThrow()
  if (n >= maxRequests) return
  await accounts
    .insertInto('wanted')
    .values(of.addresses.map((address) => ({ address, asked_at: of.now })))
    .onConflict((conflict) => conflict.column('address').doNothing())
    .execute()
}

/** The addresses that wait to be pulled, the longest waiting first; those asked for up to an instant, where one is given. */
export async function listRequested(
  accounts: Accounts,
  { most = 100, until = Number.MAX_SAFE_INTEGER }: { most?: number; until?: Micros } = {},
): Promise<{ address: string; asked_at: Micros }[]> {
  return accounts
    .selectFrom('wanted')
    .selectAll()
    .where('asked_at', '<=', until)
    .orderBy('asked_at')
    .orderBy('address')
    .limit(most)
    .execute()
}

/** Takes addresses off the list: they have been pulled. */
export async function dropRequested(accounts: Accounts, addresses: string[]): Promise<void> {
  await accounts.deleteFrom('wanted').where('address', 'in', addresses).execute()
}

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { runOnce } from '#accounts/idempotency.ts'
import { createWatchlist } from '#accounts/watchlists/watchlists.ts'

/** The write of `POST /v1/watchlists` with the idempotency key of a number. Returns the id of its watchlist. */
export async function writeOnce(accounts: Accounts, account_id: string, n: number): Promise<string> {
  const now = Date.UTC(2026, 2, 1, 12) * 1_000
  const request = { account_id, key: `key-${n}`, fingerprint: String(n), now }
  const { response } = await runOnce(accounts, request, async (db) => {
    const addresses = [`0x${String(n).padStart(40, '0')}`]
    const row = { account_id, name: String(n), type: 'wallets' as const, items: addresses, addresses, most: 10_000 }
    const created = await createWatchlist(db, { ...row, now })
    return { status: 201, headers: [], body: created?.id ?? '' }
  })
  return response.body
}

/** `worker.ts <store> <account> <n>`: writes `n` watchlists, each once, and prints the id of each. */
const [place, account_id, n = '0'] = process.argv.slice(2)
if (place !== undefined && account_id !== undefined && process.argv[1] === import.meta.filename) {
  const accounts = await openAccounts(place)
  for (let i = 0; i < Number(n); i++) process.stdout.write(`${await writeOnce(accounts, account_id, i)}\n`)
  await accounts.destroy()
}

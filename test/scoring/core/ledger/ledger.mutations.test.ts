import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import type { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { sampleHistories, shortest, type Difference } from './ledger_search.ts'
import { ledgerFolder, loadHistories, loadLedger, openLedgerDuckDB, runLoaded } from './ledgers.ts'

/** A bug: a piece of the source, and what stands there instead. */
type Bug = { what: string; file: string; from: string; to: string }

const bugs: Bug[] = [
  {
    what: 'halves are rounded up',
    file: 'fold/round.ts',
    from: 'twice === denominator && quotient % 2n === 0n',
    to: 'false',
  },
  {
    what: 'what is left of an amount goes to the last and not to the first',
    file: 'fold/round.ts',
    from: 'BigInt(index) < rest',
    to: 'BigInt(index) >= count - rest',
  },
  {
    what: 'the fee of a sale is ignored',
    file: 'fold/account.ts',
    from: "'sale', event.size, event.cash - event.fee",
    to: "'sale', event.size, event.cash",
  },
  {
    what: 'the fee of a buy is not part of its cost',
    file: 'fold/account.ts',
    from: 'event.size, event.cash + event.fee',
    to: 'event.size, event.cash',
  },
  {
    what: 'a split enters the first outcome at 1.0',
    file: 'fold/account.ts',
    from: 'divideHalfEven(size, 2n)',
    to: 'size',
  },
  {
    what: 'what was never bought is sold at a profit',
    file: 'fold/entry.ts',
    from: 'held === size ? net : portion(net, held, size)',
    to: 'net',
  },
  {
    what: 'a sale of more than is held sells nothing',
    file: 'fold/entry.ts',
    from: 'const held = least(size, position.size)',
    to: 'const held = size > position.size ? 0n : size',
  },
  {
    what: 'cost stays behind when everything was sold',
    file: 'fold/position.ts',
    from: 'position.cost -= cost',
    to: 'if (position.size > 0n) position.cost -= cost',
  },
  {
    what: 'a resolution does not buy back at its payout',
    file: 'fold/book.ts',
    from: 'position.cost = value',
    to: 'position.cost = 0n',
  },
  {
    what: 'a correction is ignored',
    file: 'fold/account.ts',
    from: 'facts.resolutions.get(market) ?? none',
    to: '(facts.resolutions.get(market) ?? none).slice(0, 1)',
  },
  {
    what: 'every share redeems at a dollar',
    file: 'fold/book.ts',
    from: 'payouts[position.outcome] ?? 0n',
    to: 'payouts.length > 0 ? share : 0n',
  },
  {
    what: 'a redemption comes before the resolution of its instant',
    file: 'fold/account.ts',
    from: "event.ts, event.kind === 'redeem'",
    to: 'event.ts, false',
  },
  {
    what: 'losers are not burnt',
    file: 'fold/redemption.ts',
    from: 'return [...all.filter(({ proceeds }) => proceeds === 0n), ...exactly(cash, paid)]',
    to: 'return exactly(cash, paid)',
  },
  {
    what: 'a conversion does not conserve cost',
    file: 'fold/conversion.ts',
    from: 'shareOut(cost - cash, others',
    to: 'shareOut(cost, others',
  },
  {
    what: 'an unknown conversion leaves positions complete',
    file: 'fold/account.ts',
    from: 'position.isComplete = false',
    to: 'position.isComplete = true',
  },
  {
    what: 'sales come before buys',
    file: 'ledger.sql',
    from: "case f.side when 'buy' then 1 else 3 end",
    to: "case f.side when 'buy' then 3 else 1 end",
  },
  {
    what: 'conversions come after sales',
    file: 'ledger.sql',
    from: "when v.kind = 'redeem' then 5 else 2 end",
    to: "when v.kind = 'redeem' then 5 else 4 end",
  },
  {
    what: 'the questions of a group stand in the order of their ids',
    file: 'ledger.sql',
    from: 'order by neg_risk_index nulls last, market_index',
    to: 'order by market_index',
  },
  {
    what: 'moves of an instant come in the order of their rows',
    file: 'ledger_moves.sql',
    from: 'order by tx, place nulls first, size, cash_usd, seq, kind',
    to: 'order by seq, kind',
  },
  {
    what: 'a migration leaves its cost behind',
    file: 'fold/migration.ts',
    from: 'add(entry.position, held, taken?.cost ?? 0n)',
    to: 'add(entry.position, held, 0n)',
  },
  {
    what: 'a migration gives shares that were never bought',
    file: 'fold/migration.ts',
    from: 'const held = taken?.held ?? 0n',
    to: 'const held = taken?.size ?? 0n',
  },
  {
    what: 'the markets of a migration are apart',
    file: 'ledger.sql',
    from: 'select trader_index, to_group, from_group from migrations',
    to: 'select trader_index, to_group, to_group from migrations',
  },
  {
    what: 'shares of somebody else cost nothing',
    file: 'fold/account.ts',
    from: 'add(touch(book, event.outcome, event).position, event.size, event.cash)',
    to: 'add(touch(book, event.outcome, event).position, event.size, 0n)',
  },
  {
    what: 'a transfer takes more than its value out',
    file: 'fold/account.ts',
    from: "sell(touch(book, event.outcome, event), 'transfer', event.size, event.cash)",
    to: "sell(touch(book, event.outcome, event), 'transfer', event.size, event.size)",
  },
  {
    what: 'transfers come before the sales of their instant',
    file: 'ledger.sql',
    from: "when v.kind = 'transfer_out' then 4",
    to: "when v.kind = 'transfer_out' then 2",
  },
  {
    what: 'a redemption ignores the outcome that it names',
    file: 'fold/redemption.ts',
    from: 'event.outcome >= 0',
    to: 'event.outcome > 99',
  },
]

/** The search is the same for every copy: it has to find nothing in the true one. Most bugs show in its first part. */
const sample = sampleHistories({ n: 400, seed: 505 })
const parts = [sample.slice(0, 50), sample.slice(50)]

const folders: string[] = []
const instances: DuckDBInstance[] = []
beforeAll(async () => {
  for (const histories of parts) {
    const instance = await openLedgerDuckDB(2)
    instances.push(instance)
    await loadHistories(instance, histories)
  }
})
afterAll(async () => {
  for (const instance of instances) instance.closeSync()
  for (const folder of folders) await rm(folder, { recursive: true })
})

/** A copy of the ledger's source, which finds its packages where the real one does. */
async function copy(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-ledger-'))
  folders.push(folder)
  await cp(ledgerFolder, folder, { recursive: true })
  await symlink(fileURLToPath(new URL('../../../../node_modules', import.meta.url)), join(folder, 'node_modules'))
  return folder
}

async function plant({ file, from, to }: Bug, folder: string): Promise<void> {
  const source = await readFile(join(folder, file), 'utf8')
  const parts = source.split(from)
  if (parts.length !== 2) throw new Error(`${file} has "${from}" ${parts.length - 1} times, not once`)
  await writeFile(join(folder, file), parts.join(to))
}

/** Searches the parts until a difference is found. */
async function search(folder: string): Promise<Difference[]> {
  const models = await loadLedger(folder)
  for (const [part, instance] of instances.entries()) {
    const histories = parts[part] ?? []
    const found = shortest(histories, await runLoaded(instance, models, histories.length))
    if (found.length > 0) return found
  }
  return []
}

describe('the search against the independent ledger', () => {
  test('finds nothing in a true copy', async () => {
    expect(await search(await copy())).toEqual([])
  })

  test.each(bugs.map((bug) => [bug.what, bug] as const))('finds that %s', async (_, bug) => {
    const folder = await copy()
    await plant(bug, folder)
    expect(await search(folder)).toHaveLength(1)
  })
})

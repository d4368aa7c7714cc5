import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import type { LedgerEvent } from '#test/oracle/ledger/event.ts'
import type { History } from '#test/oracle/ledger/history.ts'
import { sized } from '#test/run/sized.ts'
import { buildTables, createGiven, type Rows } from '#test/scoring/core/wallets/tables.ts'

import { sampleHistories } from './ledger_search.ts'

const models = await loadScoring()
let instance: DuckDBInstance
beforeAll(async () => {
  instance = await openDuckDB({ threads: 2, memory: '1GB', scratch: join(tmpdir(), `tapeline-owners-${process.pid}`) })
})
afterAll(() => instance.closeSync())

type Row = Rows[string][number]

const decimal = (millionths: bigint): string => {
  const [sign, size] = millionths < 0n ? ['-', -millionths] : ['', millionths]
  return `${sign}${size / 1_000_000n}.${String(size % 1_000_000n).padStart(6, '0')}`
}
const instant = (us: number): string =>
  `${new Date(Math.floor(us / 1_000)).toISOString().slice(0, 19)}.${String(us % 1_000_000).padStart(6, '0')}`

/** A trader's events, those that name no other trader's value, in the markets of their history. */
type Life = { history: number; events: LedgerEvent[]; markets: History['context']['markets'] }

const lives = (sample: readonly History[]): Life[] =>
  sample.map(({ events, context }, history) => {
    const [trader] = events.flatMap((event) => (event.trader === '' ? [] : [event.trader]))
    const isTransfer = ({ kind }: LedgerEvent): boolean => kind === 'transfer_in' || kind === 'transfer_out'
    const lived = events.filter((event) => event.trader === '' || (event.trader === trader && !isTransfer(event)))
    return { history, events: lived, markets: context.markets }
  })

const named = ({ history }: Life, id: string): string => (id === '' ? '' : `${history}/${id}`)
const tokenOf = (life: Life, market: string, outcome: number): string =>
  outcome < 0 ? '' : `${named(life, market)}/${outcome}`

/** The rows of an event, as an address did it. */
function rowsOf(life: Life, event: LedgerEvent, address: string): Partial<Record<'fills' | 'activity', Row[]>> {
  const { market_id, kind, outcome, size, cash, fee, target, neg_risk_id, index_set, tx, seq } = event
  const common = { venue: 'polymarket', trader: address, ts: instant(event.ts), tx, seq }
  const place = { market_id: named(life, market_id), token_id: tokenOf(life, market_id, outcome), size: decimal(size) }
  const row: Row = { ...common, ...place, cash_usd: decimal(cash) }
  if (kind === 'buy' || kind === 'sell')
    return { fills: [{ ...row, side: kind, price: '0.5', role: 'taker', fee_usd: decimal(fee) }] }
  if (target !== null) {
    const to = { market_id: named(life, target.market_id), token_id: tokenOf(life, target.market_id, target.outcome) }
    return {
      activity: [
        { ...row, kind, size: decimal(-size) },
        { ...row, ...to, kind },
      ],
    }
  }
  const group = neg_risk_id === null ? null : named(life, neg_risk_id)
  return { activity: [{ ...row, kind, neg_risk_id: group, index_set: index_set === null ? null : String(index_set) }] }
}

/** Shares that one address of an owner sends to another one, in the moment of an event. */
type Sent = { at: number; from: number; to: number; market: number; outcome: number; size: bigint }

const sent: fc.Arbitrary<Sent> = fc.record({
  at: fc.nat(60),
  from: fc.nat(2),
  to: fc.nat(2),
  market: fc.nat(4),
  outcome: fc.nat(1),
  size: fc.bigInt(1n, 1_000_000_000n),
})

function sentRows(life: Life, { at, from, to, market, outcome, size }: Sent, addressOf: (n: number) => string): Row[] {
  const event = life.events[at % life.events.length]
  const place = life.markets[market % life.markets.length]
  if (event === undefined || place === undefined || from === to) return []
  const common = {
    venue: 'polymarket',
    ts: instant(event.ts),
    tx: `sent ${at}`,
    seq: at,
    market_id: named(life, place.market_id),
    token_id: tokenOf(life, place.market_id, outcome),
    size: decimal(size),
  }
  return [
    { ...common, kind: 'transfer_out', trader: addressOf(from), counterparty: addressOf(to) },
    { ...common, kind: 'transfer_in', trader: addressOf(to), counterparty: addressOf(from) },
  ]
}

const given = [
  'core.clock',
  'core.markets',
  'core.outcomes',
  'core.odds',
  ...'fills activity resolutions wallet_owners outcome_tokens tape fee_rates'
    .split(' ')
    .map((name) => `staging.${name}`),
]

/** The tables of lives, each of an owner with three addresses and again of one address. */
function tablesOf(all: readonly Life[], owners: readonly number[], transfers: readonly Sent[][]): Rows {
  const rows = { fills: [] as Row[], activity: [] as Row[], wallet_owners: [] as Row[] }
  const resolutions: Row[] = []
  for (const life of all) {
    const addressOf = (n: number): string => `many ${life.history} ${n}`
    rows.wallet_owners.push(...[0, 1].map((n) => ({ wallet: addressOf(n), owner: addressOf(2) })))
    rows.activity.push(...(transfers[life.history] ?? []).flatMap((each) => sentRows(life, each, addressOf)))
    for (const [n, event] of life.events.entries()) {
      if (event.payouts !== null) {
        const payouts = event.payouts.map((part) => decimal(part))
        resolutions.push({ market_id: named(life, event.market_id), ts: instant(event.ts), payouts })
        continue
      }
      for (const address of [addressOf(owners[n % owners.length] ?? 0), `single ${life.history}`]) {
        const { fills = [], activity = [] } = rowsOf(life, event, address)
        rows.fills.push(...fills)
        rows.activity.push(...activity)
      }
    }
  }
  const markets = all.flatMap((life) =>
    life.markets.map(({ market_id, n_outcomes, neg_risk_id, neg_risk_index }) => ({
      life,
      market_id,
      n_outcomes,
      row: { neg_risk_id: neg_risk_id === null ? null : named(life, neg_risk_id), neg_risk_index },
    })),
  )
  const outcomes = markets.flatMap(({ life, market_id, n_outcomes }) =>
    Array.from({ length: n_outcomes }, (_, outcome) => ({
      market_id: named(life, market_id),
      outcome,
      token_id: tokenOf(life, market_id, outcome),
    })),
  )
  return {
    'core.clock': [{ as_of: '2026-10-01' }],
    'core.markets': markets.map(({ life, market_id, n_outcomes, row }) => ({
      ...row,
      market_id: named(life, market_id),
      venue: 'polymarket',
      event_id: named(life, market_id),
      n_outcomes,
    })),
    'core.outcomes': outcomes,
    'staging.outcome_tokens': outcomes,
    'staging.resolutions': resolutions,
    ...Object.fromEntries(Object.entries(rows).map(([name, list]) => [`staging.${name}`, list])),
  }
}

/** What the ledger has of each life, without the names. */
async function ledgersOf(prefix: string): Promise<unknown[]> {
  const life = `split_part(trader, ' ', 2)::integer`
  const amounts = 'size::varchar as size, cost_usd::varchar as cost_usd'
  return withConnection(instance, async (connection) => {
    const read = async (sql: string): Promise<unknown[]> => (await connection.runAndReadAll(sql)).getRowObjectsJson()
    return [
      await read(
        `select ${life} as life, market_id, outcome, ${amounts}, bought_usd::varchar, sold_usd::varchar, fees_usd::varchar,
           size_untracked::varchar, untracked_usd::varchar, is_complete
         from core.positions where starts_with(trader, '${prefix}') order by all`,
      ),
      await read(
        `select ${life} as life, market_id, outcome, ts::varchar, kind, tx, seq, ${amounts}, proceeds_usd::varchar
         from core.realizations where starts_with(trader, '${prefix}') order by all`,
      ),
    ]
  })
}

test('transfers between addresses of an owner keep the sums of shares and of cost, and all results', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 1_000_000 }),
      fc.array(fc.nat(2), { minLength: 7, maxLength: 31 }),
      fc.array(fc.array(sent, { maxLength: 12 }), { minLength: 60, maxLength: 60 }),
      async (seed, owners, transfers) => {
        const all = lives(sampleHistories({ n: 60, seed })).filter(({ events }) =>
          events.some(({ trader }) => trader !== ''),
        )
        await createGiven(instance, tablesOf(all, owners, transfers), given)
        await buildTables(instance, models, ['core.positions', 'core.realizations', 'core.share_transfers'], given)
        const [many, single] = [await ledgersOf('many'), await ledgersOf('single')]
        expect(many).toEqual(single)
        await withConnection(instance, async (connection) => {
          const counts = await connection.runAndReadAll(
            `select (select count(*) from core.share_transfers), (select count(*) from core.positions),
               (select count(*) from core.trader_addresses where wallet <> trader)`,
          )
          const [n_transfers, n_positions, n_further] = (counts.getRows()[0] ?? []).map(Number)
          expect(n_transfers).toBe(0)
          expect(n_positions).toBeGreaterThan(100)
          expect(n_further).toBeGreaterThan(60)
        })
      },
    ),
    { numRuns: sized(1, 2, 40), endOnFailure: true },
  )
})

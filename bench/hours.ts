import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { guard } from '#ingest/guard.ts'
import type { NewRow } from '#ingest/source.ts'
import { storedRows } from '#ingest/stored_rows.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { HOUR, SECOND } from '#time.ts'

/**
 * CPU seconds of a reading of an open hour of trades, which a follow does each minute:
 * `npm run bench -- hours [--trades 100000] [--rounds 5]`. It carries over the stored rows, compares the reading with
 * them, and stores it. `ratio compare` is the comparison against the rest.
 */
const { values } = parseArgs({
  options: { trades: { type: 'string', default: '100000' }, rounds: { type: 'string', default: '5' } },
})
const [n_trades, n_rounds] = [Number(values.trades), Number(values.rounds)]
const begin = 1_780_000_000_000_000
const minute_us = 60 * SECOND
const unit: Unit = {
  source: 'bench_trades',
  kind: 'hour',
  part: 'venue',
  key: '',
  from: begin,
  to: begin + HOUR,
  params: [],
}

/** Trades of a minute, as a source gives them. */
const tradesOf = (minute: number, n: number): NewRow<'fills'>[] =>
  Array.from({ length: n }, (_, i) => ({
    venue: 'venue',
    token_id: `venue:market-${i % 500}:yes`,
    ts: begin + minute * minute_us + i,
    tx: `${minute}-${i}-${(i * 2_654_435_761) % 4_294_967_296}`,
    trader: '',
    side: 'buy',
    price: BigInt(1_000 * (1 + (i % 998))),
    size: BigInt(1_000_000 * (1 + (i % 90))),
    seq: 0,
    market_id: `venue:market-${i % 500}`,
    role: 'taker',
    cash_usd: BigInt(1_000 * (1 + (i % 998)) * (1 + (i % 90))),
    fee_usd: null,
  }))

const readingOf = (minute: number, fills: NewRow<'fills'>[]) => {
  const to = begin + (minute + 1) * minute_us
  return { rows: { fills }, rejected: [], precedence: 1, state: 'head' as const, from: begin, to, checkedAt: to }
}

type Cost = { carry: number; compare: number; store: number }

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; cpu_s: number }> {
  const before = process.cpuUsage()
  const result = await work()
  const { user, system } = process.cpuUsage(before)
  return { result, cpu_s: (user + system) / 1e6 }
}

/** The reading of a minute of an hour, whose other minutes are stored. */
async function readAgain(lake: Lake, minute: number, n: number): Promise<Cost> {
  const carried = await timed(() => storedRows(lake, unit, 'fills', begin + minute * minute_us))
  const reading = readingOf(minute, [...tradesOf(minute, n), ...carried.result])
  const compared = await timed(() => guard(lake, unit, reading))
  const stored = await timed(() => storeUnit(lake, unit, { ...compared.result, asked: ['host'] }))
  return { carry: carried.cpu_s, compare: compared.cpu_s, store: stored.cpu_s }
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
const lake = await openLake(home, { threads: 1, memory: '1GB' })
try {
  const a_minute = Math.max(1, Math.round(n_trades / 60))
  const first = Array.from({ length: 50 }, (_, minute) => tradesOf(minute, a_minute)).flat()
  await storeUnit(lake, unit, { ...readingOf(49, first), asked: ['host'] })
  const costs: Cost[] = []
  for (let round = 0; round < n_rounds; round += 1) costs.push(await readAgain(lake, 50 + round, a_minute))
  const median = (name: keyof Cost): number =>
    costs.map((cost) => cost[name]).toSorted((a, b) => a - b)[Math.floor(costs.length / 2)] ?? Number.NaN
  const [carry, compare, stored] = [median('carry'), median('compare'), median('store')]
  const parts = `carried over ${carry.toFixed(2)}, compared ${compare.toFixed(2)}, stored ${stored.toFixed(2)}`
  console.log(`${a_minute * 50} stored trades and ${a_minute} new ones, CPU s: ${parts}`)
  console.log(`ratio compare ${(compare / (carry + stored)).toFixed(2)}`)
} finally {
  await lake.close()
  await rm(home, { recursive: true, force: true })
}

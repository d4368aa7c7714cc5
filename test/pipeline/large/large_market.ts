import { createHash } from 'node:crypto'

import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'

import { serveAnswers } from './serve_answers.ts'

const condition = `0x${'ab'.repeat(32)}`

/** The only market of the upstream below. It has ended long ago. */
export const largeMarket: Unit = unitOf(
  { name: 'polymarket_trades', unit: 'history', part: 'polymarket' },
  { key: condition, from: 1_690_000_000_000_000, to: 1_700_000_000_000_000 },
)

/** A row of the lake, as the test compares it. */
export type LargeFill = { tx: string; role: string; seq: number }

/**
 * Polymarket's Data API v2 with one market of so many trades, whose price may have another name. The expected rows are
 * in the order of `tx` and `seq`.
 */
export async function serveMarket(
  n_trades: number,
  priceName = 'price',
): Promise<{ url: string; expected: () => LargeFill[]; close: () => Promise<void> }> {
  const server = await serveAnswers(({ searchParams: query }) => {
    const ids = query.get('taker_only') === 'true' ? takers : () => true
    const page = pageOf(n_trades, Number(query.get('cursor') ?? 0), Number(query.get('limit')), ids)
    return priceName === 'price' ? page : page.replaceAll('"price":', `"${priceName}":`)
  })
  return {
    ...server,
    expected: () => expectedFills(n_trades),
  }
}

/** Every third trade is a taker's. */
const takers = (n: number): boolean => n % 3 === 0

/** Some trades equal the one before, which has another place on its page. */
const originOf = (n: number): number => (n % 10 === 5 ? n - 1 : n)

const hashOf = (n: number): string =>
  createHash('sha256')
    .update(String(originOf(n)))
    .digest('hex')

function pageOf(n_trades: number, start: number, limit: number, isListed: (n: number) => boolean): string {
  const rows: string[] = []
  let n = start
  for (; n < n_trades && rows.length < limit; n += 1) if (isListed(n)) rows.push(textOf(n))
  const has_more = n < n_trades
  return `{"data":[${rows.join(',')}],"pagination":{"has_more":${has_more},"next_cursor":${has_more ? `"${n}"` : null}}}`
}

/** A row of about 400 bytes. */
function textOf(n: number): string {
  const hash = hashOf(n)
  const origin = originOf(n)
  return (
    `{"proxy_wallet":"0x${hash.slice(24)}","side":"${origin % 2 === 0 ? 'BUY' : 'SELL'}","token_id":"${10n ** 76n + BigInt(origin % 2)}",` +
    `"condition_id":"${condition}","size":${(origin % 5_000) + 1},"price":0.${String((origin % 99) + 1).padStart(2, '0')},` +
    `"timestamp":${1_699_000_000 - origin},"transaction_hash":"0x${hash}","title":"Will the market be read whole?"}`
  )
}

function expectedFills(n_trades: number): LargeFill[] {
  const byTx = new Map<string, string[]>()
  for (let n = 0; n < n_trades; n += 1) {
    const tx = `0x${hashOf(n)}`
    byTx.set(tx, [...(byTx.get(tx) ?? []), takers(n) ? 'taker' : 'maker'])
  }
  return [...byTx]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([tx, roles]) => roles.toSorted().map((role, seq) => ({ tx, role, seq })))
}

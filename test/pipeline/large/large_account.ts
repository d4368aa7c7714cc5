import { createHash } from 'node:crypto'

import { unitOf } from '#ingest/units.ts'
import type { Unit } from '#lake/units/unit.ts'
import { historyBody, slug, wallet } from '#test/sources/markets/limitless/wire.ts'

import { serveAnswers } from './serve_answers.ts'

/** The only account of the upstream below. */
export const largeAccount: Unit = unitOf(
  { name: 'limitless_activity', unit: 'history', part: 'limitless' },
  { key: wallet(1), from: 0 },
)

/** A row of the lake, as the test compares it. */
export type LargeRow = { tx: string; kind: string; seq: number; cash_usd: string }

/** A rejected row: the number that it came with, and the reason. */
export type LargeRejected = { ordinal: number; orderId: string; reason: string }

/**
 * Limitless with the history of one account, of so many rows on its pages, by cursor. Amounts are raw integers, which
 * only all rows show. Rows of a page are repeated on the last pages, some of them with another cash.
 */
export async function serveAccount(n_rows: number) {
  const server = await serveAnswers(({ searchParams: query }) => {
    const start = Number(query.get('cursor') ?? 0)
    const end = Math.min(n_rows, start + Number(query.get('limit')))
    const data = Array.from({ length: end - start }, (_, n) => bodyOf(start + n, n_rows))
    return JSON.stringify({ data, nextCursor: end < n_rows ? `${end}` : null })
  })
  return { ...server, expected: () => expectedOf(n_rows) }
}

/** The last tenth repeats earlier rows from the start on. */
const isRepeated = (n: number, n_rows: number): boolean => n >= 0.9 * n_rows
const originOf = (n: number, n_rows: number): number => (isRepeated(n, n_rows) ? n - 0.9 * n_rows : n)
/** Every 500th repetition contradicts its row, and every 900th row has no market. */
const isContradiction = (n: number, n_rows: number): boolean => isRepeated(n, n_rows) && n % 500 === 0
const isBroken = (n: number): boolean => n % 900 === 1
const isSplit = (n: number): boolean => n % 10 === 3
/** Every seventh row has the transaction, the market and the amounts of the row before it. */
const txOf = (n: number): string => {
  const origin = n % 7 === 6 ? n - 1 : n
  return `0x${createHash('sha256').update(String(origin)).digest('hex')}`
}
/** Dollars. Small amounts alone could be whole decimal numbers. */
const dollarsOf = (n: number): number => Math.floor(n / 7) % 90

/** A row of about a kilobyte, in an order of its own. */
function bodyOf(n: number, n_rows: number): Record<string, unknown> {
  const origin = originOf(n, n_rows)
  const dollars = dollarsOf(origin) + (isContradiction(n, n_rows) ? 1 : 0)
  const more = {
    tradeEventId: createHash('sha256').update(`id ${origin}`).digest('hex'),
    orderId: `order-${n}`,
    blockTimestamp: 1_790_000_000 - Math.floor(origin / 7),
    transactionHash: txOf(origin),
    collateralAmount: `${dollars * 1_000_000}`,
    outcomeTokenAmount: `${2 * dollars * 1_000_000}`,
    outcomeTokenAmounts: [`${dollars * 1_000_000}`, `${dollars * 1_000_000}`],
    outcomeTokenPrice: 0.5,
    market: isBroken(origin) ? null : { slug: slug(1), title: 'A text that no table holds. '.repeat(20), collateral },
  }
  return historyBody(isSplit(origin) ? { ...more, strategy: 'Split', outcomeTokenAmount: null } : more)
}

const collateral = { symbol: 'USDC', decimals: 6 }

/** The rows and the rejected rows of the lake. */
function expectedOf(n_rows: number): { rows: LargeRow[]; rejected: LargeRejected[] } {
  const rows: LargeRow[] = []
  const rejected: LargeRejected[] = []
  const seqs = new Map<string, number>()
  for (let n = 0; n < n_rows; n += 1) {
    const origin = originOf(n, n_rows)
    const reject = (reason: string) => rejected.push({ ordinal: rejected.length, orderId: `order-${n}`, reason })
    if (isBroken(origin)) reject('market: Invalid input: expected object, received null')
    else if (isContradiction(n, n_rows)) {
      const id = createHash('sha256').update(`id ${origin}`).digest('hex')
      reject(`tradeEventId: another row has ${id}; expected its own`)
    } else if (!isRepeated(n, n_rows)) {
      const kind = isSplit(n) ? 'split' : 'buy'
      const place = `${txOf(n)} ${kind}`
      const seq = seqs.get(place) ?? 0
      seqs.set(place, seq + 1)
      rows.push({ tx: txOf(n), kind, seq, cash_usd: `${dollarsOf(n)}.000000` })
    }
  }
  const inOrder = rows.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return { rows: inOrder, rejected }
}

const orderOf = ({ tx, kind, seq }: LargeRow): string => `${tx} ${kind} ${seq}`

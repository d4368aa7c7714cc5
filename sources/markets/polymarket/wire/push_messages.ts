import { z } from 'zod'

import type { Rows } from '#ingest/source.ts'
import type { NewFill } from '#sources/markets/fills.ts'
import { SECOND, type Micros } from '#time.ts'

import { notional, toFill, tradeRow } from './trade_rows.ts'

/** The number of a row that only names the taker of a transaction. It is never stored. */
const ANNOUNCED = -1

/**
 * The subscription. `trades` has the rows of takers and makers, and `orders_matched` one row of the taker a
 * transaction. Each was silent for days while the other ran, so both are read.
 */
export const HELLO = [
  JSON.stringify({
    action: 'subscribe',
    subscriptions: [
      { topic: 'activity', type: 'trades' },
      { topic: 'activity', type: 'orders_matched' },
    ],
  }),
]

/** Without this text the venue sends nothing after some minutes. Its reply is an empty text. */
export const PING = { text: 'PING', every_s: 5, replies: ['', 'PONG'] }

/** A frame. Some have no topic or type, so that a trade is known by its payload. */
const frame = z.looseObject({ type: z.string().nullish(), payload: z.looseObject({}).nullish() })
const tradeNames = ['transactionHash', 'proxyWallet', 'asset', 'conditionId'] as const

/** A pushed time is in seconds, as a number or a text, and one second before the block's. */
const wholeSeconds = z.union([z.number().int(), z.string().regex(/^\d+$/).transform(Number)])

/** A pushed trade: its row, the instant of its block. */
export type PushedTrade = { fill: NewFill; at: Micros }

/** The type of a message with a trade, `unnamed` without one; null for any other message. */
export function pushedType(text: string): string | null {
  try {
    const { type, payload } = frame.parse(JSON.parse(text))
    return tradeNames.some((name) => name in (payload ?? {})) ? (type ?? 'unnamed') : null
  } catch {
    return null
  }
}

/** The trade of a message; null for any other message. Throws if a trade does not parse. */
export function pushedTrade(text: string): PushedTrade | null {
  if (text === '') return null
  const { type, payload } = frame.parse(JSON.parse(text))
  if (payload === null || payload === undefined || !tradeNames.some((name) => name in payload)) return null
  const timestamp = wholeSeconds.parse(payload['timestamp'], { error: () => 'expected a time in seconds' }) + 1
  const trade = tradeRow.parse({ ...payload, timestamp })
  const isTaker = type === 'orders_matched'
  const fill = toFill(trade, { role: isTaker ? 'taker' : null, cash_usd: notional(trade), fee_usd: null })
  return { fill: isTaker ? { ...fill, seq: ANNOUNCED } : fill, at: timestamp * SECOND }
}

/**
 * The fills of an hour with their roles. An announced taker marks the row of its wallet, token and side in its
 * transaction; the other rows of a transaction with a taker are makers'. Without such a row it is a row itself. Roles
 * of other transactions stay unknown.
 */
export function withRoles({ fills = [] }: Rows): Rows {
  const rows = fills.filter(({ seq }) => seq !== ANNOUNCED).map((fill) => ({ ...fill }))
  const byTx = new Map<string, NewFill[]>()
  for (const row of rows) {
    const together = byTx.get(row.tx)
    if (together === undefined) byTx.set(row.tx, [row])
    else together.push(row)
  }
  const takers = new Map<string, Set<NewFill>>()
  for (const row of rows) if (row.role === 'taker') markTaker(takers, row)
  const added: NewFill[] = []
  for (const announced of fills.filter(({ seq }) => seq === ANNOUNCED)) {
    const candidates = (byTx.get(announced.tx) ?? []).filter((row) => isSameSide(row, announced))
    const twin =
      candidates.find(({ price, size }) => price === announced.price && size === announced.size) ?? candidates[0]
    const taker = twin ?? { ...announced, seq: 0 }
    if (twin === undefined) added.push(taker)
    markTaker(takers, taker)
  }
  const all = [...rows, ...added]
  return {
    fills: all.map((row) => {
      const txTakers = takers.get(row.tx)
      return txTakers === undefined ? row : { ...row, role: txTakers.has(row) ? 'taker' : 'maker' }
    }),
  }
}

const isSameSide = (a: NewFill, b: NewFill): boolean =>
  a.trader === b.trader && a.token_id === b.token_id && a.side === b.side

function markTaker(takers: Map<string, Set<NewFill>>, row: NewFill): void {
  const txTakers = takers.get(row.tx)
  if (txTakers === undefined) takers.set(row.tx, new Set([row]))
  else txTakers.add(row)
}

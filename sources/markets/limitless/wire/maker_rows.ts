import { z } from 'zod'

import { millionths, quantity, type Decimal } from '#ingest/parse/decimals.ts'
import { address, txHash } from '#ingest/parse/ids.ts'
import { maybe, parseRows } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { NewFill } from '#sources/markets/fills.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'

import type { LimitlessMarket } from './market_rows.ts'
import { idOf, isDollar, tokenOf } from './types.ts'

const ONE = 1_000_000n

/** A page of the feed is a list, or has one with the number of pages. The feed has events of other types too. */
const typed = z.looseObject({ eventType: z.string() })

const holder = z.object({ account: maybe(address), smartWallet: maybe(address) })

export const makerData = z.object({
  txHash,
  outcome: z.enum(['YES', 'NO']),
  strategy: z.enum(['Buy', 'Sell']),
  contracts: quantity,
  tradeAmount: quantity,
  tradeAmountUSD: maybe(quantity),
})

/** A trade with the automated maker. Two names of its time and of its trader have been seen. */
const tradeRow = z
  .object({
    createdAt: maybe(isoInstant),
    timestamp: maybe(isoInstant),
    user: maybe(holder),
    profile: maybe(holder),
    data: makerData,
  })
  .transform(({ createdAt, timestamp, user, profile, data }, context) => {
    const ts = createdAt ?? timestamp
    const trader = profile?.smartWallet ?? profile?.account ?? user?.smartWallet ?? user?.account ?? null
    if (ts !== null && trader !== null) return { ...data, ts, trader }
    const [path, message] =
      ts === null ? ['createdAt', 'expected an instant'] : ['user', 'expected an account or a smart wallet']
    context.addIssue({ code: 'custom', path: [path], message })
    return z.NEVER
  })

/**
 * The fills of a market of the automated maker, from its feed. Amounts are decimal numbers of shares and of the
 * collateral. The price is the collateral of a share, at most 1.
 */
export function parseMakerFills(
  bodies: readonly unknown[],
  market: LimitlessMarket,
  { path, rejected }: { path: string; rejected: RejectedRow[] },
): NewFill[] {
  const { slug, collateralToken } = market
  const trades = bodies.filter((body) => (typed.safeParse(body).data?.eventType ?? 'NEW_TRADE') === 'NEW_TRADE')
  const shape = tradeRow.transform((row, context) => {
    const cash = isDollar(collateralToken.symbol) ? row.tradeAmount : row.tradeAmountUSD
    const price = priceOf(row.tradeAmount, row.contracts)
    if (cash !== null && price !== null) return { ...row, cash, price }
    const [name, message] =
      cash === null ? ['tradeAmountUSD', 'expected dollars'] : ['tradeAmount', 'expected about 0 to 1 of a share']
    context.addIssue({ code: 'custom', path: ['data', name], message })
    return z.NEVER
  })
  return parseRows(trades, shape, { dataset: 'fills', path, rejected }).map((row) => ({
    venue: VENUE,
    token_id: tokenOf(slug, row.outcome === 'YES' ? 0 : 1),
    ts: row.ts,
    tx: row.txHash,
    trader: row.trader,
    side: row.strategy === 'Buy' ? 'buy' : 'sell',
    price: row.price,
    size: millionths(row.contracts),
    seq: 0,
    market_id: idOf(slug),
    role: 'taker',
    cash_usd: millionths(row.cash),
    fee_usd: null,
  }))
}

/** The collateral of a share, rounded; null if it is more than rounding and a fee explain. */
function priceOf(collateral: Decimal, contracts: Decimal): bigint | null {
  const [paid, size] = [millionths(collateral), millionths(contracts)]
  if (size === 0n) return null
  const price = (2n * paid * ONE + size) / (2n * size)
  if (price > ONE + ONE / 10n) return null
  return price > ONE ? ONE : price
}

import { z } from 'zod'

import { millionths, quantity, quantityRange, times } from '#ingest/parse/decimals.ts'
import { address, tokenId, txHash } from '#ingest/parse/ids.ts'
import { maybe, parseRows } from '#ingest/parse/rows.ts'
import { isoInstant } from '#ingest/parse/timestamps.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { NewFill } from '#sources/markets/fills.ts'
import { VENUE } from '#sources/markets/limitless/hosts.ts'

import type { LimitlessMarket } from './market_rows.ts'
import { idOf, price, rawAmount, scaled, tokenOf, unitPrices } from './types.ts'

/** The profile of a trader. The smart wallet holds the shares; an account without one holds them itself. */
const profile = z
  .object({ account: maybe(address), smartWallet: maybe(address) })
  .transform(({ account, smartWallet }, context) => {
    const trader = smartWallet ?? account
    if (trader !== null) return trader
    context.addIssue({ code: 'custom', message: 'expected an account or a smart wallet' })
    return z.NEVER
  })

/** A fill of `/markets/<slug>/events`: the taker's side of a settled match. */
export const eventRow = z.object({
  createdAt: isoInstant,
  txHash,
  side: z.union([z.literal(0), z.literal(1)], { error: 'expected 0 (buy) or 1 (sell)' }),
  price,
  matchedSize: rawAmount,
  tokenId,
  profile,
})

/**
 * The fills of a market. `matchedSize` is raw, in units of the collateral. Rows of other tokens, which an ignored
 * filter returns, are rejected.
 */
export function parseFills(
  bodies: readonly unknown[],
  market: LimitlessMarket,
  { path, rejected }: { path: string; rejected: RejectedRow[] },
): NewFill[] {
  const { slug, tokens, collateralToken } = market
  const outcomes = new Map(tokens === null ? [] : [tokens.yes, tokens.no].map((token, outcome) => [token, outcome]))
  const shape = eventRow.transform(({ tokenId: token, matchedSize, ...row }, context) => {
    const outcome = outcomes.get(token)
    const size = quantity.safeParse(textOf(millionths(scaled(matchedSize, collateralToken.decimals))))
    if (outcome !== undefined && size.success) return { ...row, outcome, size: size.data }
    const message = outcome === undefined ? `expected a token of ${slug}` : `expected ${quantityRange}`
    context.addIssue({ code: 'custom', path: [outcome === undefined ? 'tokenId' : 'matchedSize'], message })
    return z.NEVER
  })
  return parseRows(bodies, shape, { dataset: 'fills', path, rejected }).map((row): NewFill => {
    const [unit = row.price] = unitPrices([row.price])
    return {
      venue: VENUE,
      token_id: tokenOf(slug, row.outcome),
      ts: row.createdAt,
      tx: row.txHash,
      trader: row.profile,
      side: row.side === 0 ? 'buy' : 'sell',
      price: millionths(unit),
      size: millionths(row.size),
      seq: 0,
      market_id: idOf(slug),
      role: 'taker',
      cash_usd: millionths(times(row.size, unit)),
      fee_usd: null,
    }
  })
}

/** A whole number of millionths as decimal text. */
const textOf = (amount: bigint): string => `${amount}e-6`

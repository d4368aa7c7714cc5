import { showAddress } from '#api/contract/address.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { mostTokens, native, tokensToRead } from '#registry/chains/tokens_to_read.ts'
import type { Snapshot } from '#snapshots/marts.ts'

import type { Balance } from './balances.ts'
import { fresh_ms, retry_ms, type LiveBalances } from './live_balances.ts'
import { lastHoldings, lastPrices, tradedTokens, type LastHolding, type LastPrice } from './stored_holdings.ts'

/** A priced token of a wallet as it is served, in whole units and USD. */
export type Holding = { token: string; amount: number; usd_value: number }

/**
 * The holdings of a wallet, the most valuable first. `problem` is the reason why they are the last known ones, or why
 * the address is no wallet (`isWallet` is false). They are valid for `fresh_ms`, or with their snapshot.
 */
export type Holdings = { holdings: Holding[]; problem: string | null; isWallet: boolean; fresh_ms?: number }

/**
 * Reads what a wallet holds: its balances from a node of the chain, at the last known prices. Balances that are not
 * known in time are replaced by the last known holdings of the snapshot.
 */
export async function readHoldings(
  { snapshot, chain, wallet }: { snapshot: Snapshot; chain: Chain; wallet: string },
  liveBalances: LiveBalances,
): Promise<Holdings> {
  const [last, traded] = await Promise.all([
    lastHoldings(snapshot, chain, wallet),
    tradedTokens(snapshot, { chain, wallet, most: mostTokens }),
  ])
  const tokens = tokensToRead(chain, [...last.map(({ contract }) => contract), ...traded])
  const live = await liveBalances({ chain, wallet, tokens })
  if (live.is === 'missing')
    return {
      holdings: last.map(shown),
      problem: `${since(last) ?? 'holdings are not read'}, ${live.reason}`,
      isWallet: true,
      fresh_ms: retry_ms,
    }
  const { unread } = live.balances
  const held = withOneCoin(chain, live.balances.held)
  const prices = await pricesOf(snapshot, { chain, held, last })
  const valued = held.flatMap((balance) => valueOf(chain, balance, prices))
  // A contract that gives no balance now had one before.
  const stale = last.filter(({ contract }) => unread.includes(contract))
  const all = [...valued, ...stale].toSorted((a, b) => b.usd_value - a.usd_value || (a.contract < b.contract ? -1 : 1))
  const problem = stale.length > 0 ? `the balances of ${stale.length} tokens are not read` : null
  const { problem: noWallet } = live.balances
  return { holdings: all.map(shown), problem: noWallet ?? problem, isWallet: noWallet === undefined, fresh_ms }
}

const shown = ({ token, amount, usd_value }: Holding): Holding => ({ token, amount, usd_value })

const since = (last: readonly LastHolding[]): string | null =>
  last.length === 0
    ? null
    : `holdings are those of ${new Date(Math.max(...last.map(({ seen_at }) => seen_at)) / 1_000).toISOString()}`

/** The native coin and its wrapped form are one token, as in the marts. */
function withOneCoin({ wrapped, native: coin }: Chain, held: readonly Balance[]): Balance[] {
  const isCoin = ({ token, decimals }: Balance): boolean =>
    token === native || (token === wrapped && decimals === coin.decimals)
  const raw = held.filter(isCoin).reduce((sum, balance) => sum + balance.raw, 0n)
  const others = held.filter((balance) => !isCoin(balance))
  return raw === 0n ? others : [{ token: native, raw, ...coin }, ...others]
}

type Prices = ReadonlyMap<string, LastPrice>

/** The last known prices of tokens: those of the wallet's own holdings, and of other wallets for the rest. */
async function pricesOf(
  snapshot: Snapshot,
  { chain, held, last }: { chain: Chain; held: readonly Balance[]; last: readonly LastHolding[] },
): Promise<Prices> {
  const prices = new Map<string, LastPrice>(last.map((row) => [row.contract, row]))
  const missing = held.map(({ token }) => token).filter((token) => !prices.has(token))
  for (const row of await lastPrices(snapshot, chain, missing)) prices.set(row.contract, row)
  return prices
}

/**
 * The value of a balance; nothing without a price, or below a cent. A dollar without a known price is worth a dollar,
 * as is a coin that is one.
 */
function valueOf(
  { stables, stableSymbols, wrapped }: Chain,
  { token, raw, decimals, symbol }: Balance,
  prices: Prices,
): (Holding & { contract: string })[] {
  const isDollar = stables.includes(token === native && wrapped !== null ? wrapped : token)
  const usd_per_token = prices.get(token)?.usd_per_token ?? (isDollar ? 1 : 0)
  const amount = Number(`${raw}e-${decimals}`)
  const usd_value = Math.round(amount * usd_per_token * 100) / 100
  if (!Number.isFinite(usd_value) || usd_value < 0.01) return []
  const shownAs = symbol ?? stableSymbols[token] ?? prices.get(token)?.token ?? showAddress(token)
  return [{ token: shownAs, amount, usd_value, contract: token }]
}

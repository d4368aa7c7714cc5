import type { EvmWorld } from '#sim/evm/world.ts'
import { oraclePrices, type Price } from '#test/oracle/chains/prices.ts'

/** A token of a wallet as the API shows it. */
export type TrueHolding = { token: string; amount: number; usd_value: number }

const day_s = 86_400
/** A price counts for a day, and a holding has one of the last seven days. */
const valid_s = 8 * day_s
const decimalsOf = ({ dollar }: EvmWorld, token: string): number => (token === dollar ? 6 : 18)

/** The dollars of a whole token at an instant, by the oracle of prices over the swaps of the ledger. */
function lastPrices(world: EvmWorld, now_s: number): Map<string, number> {
  const { ledger, dollar } = world
  const tokens = [...new Set(ledger.poolSwaps.flatMap(({ token_in, token_out }) => [token_in, token_out]))]
  const decimals = Object.fromEntries(tokens.map((token) => [token, decimalsOf(world, token)]))
  const prices = oraclePrices(
    ledger.poolSwaps
      // The coin that a pool of V4 pays out moves without a log, so nothing shows that it moved.
      .filter(({ pool, token_out }) => pool.length < 66 || token_out !== 'native')
      .map(({ ts_s, pool, sender, token_in, amount_in, token_out, amount_out }) => ({
        minute: ts_s / 60,
        pool,
        sender,
        paid: { token: token_in, amount: amount_in },
        got: { token: token_out, amount: amount_out },
      })),
    { decimals, dollars: [dollar] },
  )
  const isKnown = ({ is_thin, at }: Price): boolean => !is_thin && at * 60 > now_s - valid_s
  return new Map([...prices.filter(isKnown).map(({ token, usd }): [string, number] => [token, usd]), [dollar, 1]])
}

/**
 * The true holdings of each wallet of a world, as `/v1/wallet` shows them: the balances of the ledger at the last
 * prices, the most valuable first. A wallet without a trade is no trader, so its coin and its dollars are asked alone.
 */
export function trueHoldings(world: EvmWorld, now_s: number): Map<string, TrueHolding[]> {
  const prices = lastPrices(world, now_s)
  const names = new Map([
    ['native', 'ETH'],
    [world.dollar, 'USDC'],
    ...world.tokens.map((token, n): [string, string] => [token, world.plan.tokens[n]?.symbol ?? '']),
  ])
  const traders = new Set(world.ledger.trades.map(({ wallet }) => wallet))
  const isAsked = (wallet: string, token: string): boolean =>
    traders.has(wallet) || token === 'native' || token === world.dollar
  const of = (wallet: string): TrueHolding[] =>
    [...names].flatMap(([token, name]) => {
      if (!isAsked(wallet, token)) return []
      const raw = world.ledger.holdings.get(`${wallet} ${token}`) ?? 0n
      const price = prices.get(token)
      const amount = Number(`${raw}e-${decimalsOf(world, token)}`)
      const usd_value = Math.round(amount * (price ?? 0) * 100) / 100
      return usd_value < 0.01 ? [] : [{ token: name, amount, usd_value }]
    })
  return new Map(world.addresses.map((wallet) => [wallet, of(wallet).toSorted((a, b) => b.usd_value - a.usd_value)]))
}

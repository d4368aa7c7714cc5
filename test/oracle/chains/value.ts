import type { Price, Tokens } from './prices.ts'

/** A trade before it is valued, at a minute. */
export type Legs = { minute: number; sold: string; bought: string; amount_sold: bigint; amount_bought: bigint }

/** The value of an amount at a minute by scoring.md; null if the token has no price then. */
export function valueOf(
  prices: readonly Price[],
  { decimals, dollars }: Tokens,
  { token, amount, minute }: { token: string; amount: bigint; minute: number },
): number | null {
  const last = prices
    .filter((price) => price.token === token && !price.is_thin && price.at <= minute)
    .toSorted((a, b) => a.at - b.at)
    .at(-1)
  const units = Number(amount) / 10 ** (decimals[token] ?? 0)
  if (dollars.includes(token)) return units * (last?.usd ?? 1)
  return last === undefined || minute - last.at >= 24 * 60 ? null : units * last.usd
}

/** The value of a trade and the leg that gave it: the most trusted one, of two alike the one bought. */
export function tradeValue(
  prices: readonly Price[],
  tokens: Tokens,
  trade: Legs,
): { usd: number | null; method: string } {
  const trust = (token: string): number => (tokens.dollars.includes(token) ? 3 : token === 'native' ? 2 : 1)
  const legs = [
    { token: trade.bought, amount: trade.amount_bought },
    { token: trade.sold, amount: trade.amount_sold },
  ].toSorted((a, b) => trust(b.token) - trust(a.token))
  for (const { token, amount } of legs) {
    const usd = valueOf(prices, tokens, { token, amount, minute: trade.minute })
    if (usd !== null)
      return usd < 2e9
        ? { usd, method: ['price', 'coin', 'stable'][trust(token) - 1] ?? '' }
        : { usd: null, method: 'none' }
  }
  return { usd: null, method: 'none' }
}

import type { Exchanger } from './exchangers.ts'
import type { ChainFacts, Flow, Leg } from './facts.ts'
import { sharesOf } from './shares.ts'

const CENT = 10_000n

/**
 * The legs of trades from the flows of one wallet, after dust. One asset down and one up is a leg. Of several assets,
 * the exchanges of the transaction tell which part of one bought which part of another one. Where they do not, several
 * assets on one side take their shares of the other side by value; without a price of each there is no trade.
 */
export function legsOf(flows: readonly Flow[], { usdOf }: ChainFacts, exchangers: readonly Exchanger[]): Leg[] {
  const valued = flows.map((flow) => ({
    ...flow,
    usd: usdOf(flow.token, flow.amount < 0n ? -flow.amount : flow.amount),
  }))
  const most = valued.reduce((max, { usd }) => (usd !== null && usd > max ? usd : max), 0n)
  const dust = most / 1_000n > CENT ? most / 1_000n : CENT
  const kept = flows.length > 2 ? valued.filter(({ usd }) => usd === null || usd >= dust) : valued
  const down = kept.filter(({ amount }) => amount < 0n).map((flow) => ({ ...flow, amount: -flow.amount }))
  const up = kept.filter(({ amount }) => amount > 0n)
  if (down.length * up.length <= 1) return legsByValue(down, up)
  const legs = sharesOf(exchangers, down, up)
  return legs.length > 0 ? legs : legsByValue(down, up)
}

type Side = { token: string; amount: bigint; usd: bigint | null }

/** The legs of one asset against one or several others, by value. */
function legsByValue(down: readonly Side[], up: readonly Side[]): Leg[] {
  const [sold, bought] = [down[0], up[0]]
  if (sold === undefined || bought === undefined) return []
  if (down.length === 1)
    return shares(sold.amount, up).map((amount_sold, n) => ({
      token_sold: sold.token,
      amount_sold,
      token_bought: up[n]?.token ?? '',
      amount_bought: up[n]?.amount ?? 0n,
    }))
  if (up.length === 1)
    return shares(bought.amount, down).map((amount_bought, n) => ({
      token_sold: down[n]?.token ?? '',
      amount_sold: down[n]?.amount ?? 0n,
      token_bought: bought.token,
      amount_bought,
    }))
  return []
}

/** An amount in whole parts by value. The last part takes what rounding leaves, so that the parts add up. */
function shares(amount: bigint, by: readonly { usd: bigint | null }[]): bigint[] {
  if (by.length === 1) return [amount]
  const values = by.map(({ usd }) => usd).filter((usd) => usd !== null)
  const total = values.reduce((sum, usd) => sum + usd, 0n)
  if (values.length < by.length || total === 0n) return []
  let left = amount
  return values.map((usd, n) => {
    const part = n === values.length - 1 ? left : (amount * usd) / total
    left -= part
    return part
  })
}

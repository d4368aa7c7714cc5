import { reachedFrom, type AssetAmount, type Exchanger } from './exchangers.ts'
import { sumOf, type Leg } from './facts.ts'

/** The amount of an asset at some place, and the parts of it that each asset sold bought. */
type Holding = { total: bigint; parts: Map<string, Part> }
/** `cost` is in units of the asset sold, `amount` in units of the asset held. */
type Part = { cost: bigint; amount: bigint }

/** Rounding is below a unit of any amount: costs and parts have 64 more bits. */
const scale = 1n << 64n

/**
 * Which part of each asset sold bought which part of each asset bought, by the exchanges of the transaction: what an
 * exchanger gave was bought for what it got. None if the exchanges do not tell, since they go round or an exchanger got or
 * gave several assets. What no exchange explains, such as the fee of a message, is in no leg.
 */
export function sharesOf(
  exchangers: readonly Exchanger[],
  sold: readonly AssetAmount[],
  bought: readonly AssetAmount[],
): Leg[] {
  const reached = new Set(sold.flatMap(({ token }) => [...reachedFrom(exchangers, token)]))
  const steps = exchangers.filter(({ received }) => received.some(({ token }) => reached.has(token)))
  if (steps.some(({ received, paid }) => received.length > 1 || paid.length > 1)) return []
  const holdings = new Map<string, Holding>()
  for (const { token, amount } of sold)
    put(holdings, token, amount, [[token, { cost: amount * scale, amount: amount * scale }]])
  const left = new Set(steps)
  while (left.size > 0) {
    // An asset is complete once all that give it have exchanged.
    const ready = [...left].filter(
      ({ received: [asset] }) => ![...left].some(({ paid: [other] }) => other?.token === asset?.token),
    )
    if (ready.length === 0) return []
    for (const step of ready) {
      exchange(holdings, step)
      left.delete(step)
    }
  }
  return pairsOf(holdings, sold, bought)
}

function put(holdings: Map<string, Holding>, token: string, amount: bigint, parts: Iterable<[string, Part]>): void {
  const holding = holdings.get(token) ?? { total: 0n, parts: new Map<string, Part>() }
  holding.total += amount
  for (const [asset, part] of parts) {
    const before = holding.parts.get(asset) ?? { cost: 0n, amount: 0n }
    holding.parts.set(asset, { cost: before.cost + part.cost, amount: before.amount + part.amount })
  }
  holdings.set(token, holding)
}

/** An exchanger takes its part of all costs of what it got, and gives for it what it gave. */
function exchange(holdings: Map<string, Holding>, { received: [got], paid: [gave] }: Exchanger): void {
  const holding = holdings.get(got?.token ?? '')
  if (got === undefined || gave === undefined || holding === undefined || holding.total === 0n) return
  const parts = [...holding.parts].map(([asset, { cost, amount }]): [string, Part] => [
    asset,
    { cost: (cost * got.amount) / holding.total, amount: (gave.amount * amount) / holding.total },
  ])
  put(holdings, gave.token, gave.amount, parts)
}

type Pair = { down: AssetAmount; up: AssetAmount; part: Part }

/** A leg for each pair of an asset sold and one bought. Parts under a thousandth of their asset are dust. */
function pairsOf(
  holdings: ReadonlyMap<string, Holding>,
  sold: readonly AssetAmount[],
  bought: readonly AssetAmount[],
): Leg[] {
  const isDust = (part: bigint, whole: bigint): boolean => part * 1_000n < whole * scale
  const pairs = sold.flatMap((down) =>
    bought.flatMap((up): Pair[] => {
      const holding = holdings.get(up.token)
      const part = holding?.parts.get(down.token)
      if (holding === undefined || part === undefined) return []
      // The rest went on to other exchangers.
      const [cost, amount] = [part.cost, part.amount].map((size) => (size * up.amount) / holding.total)
      if (cost === undefined || amount === undefined) return []
      return isDust(cost, down.amount) || isDust(amount, up.amount) ? [] : [{ down, up, part: { cost, amount } }]
    }),
  )
  const [costs, gains] = [splitBy(pairs, 'down', 'cost'), splitBy(pairs, 'up', 'amount')]
  return pairs.map((pair) => ({
    token_sold: pair.down.token,
    amount_sold: costs.get(pair) ?? 0n,
    token_bought: pair.up.token,
    amount_bought: gains.get(pair) ?? 0n,
  }))
}

/** The amount of each asset of a side, split among its pairs. The last one takes what rounding leaves. */
function splitBy(pairs: readonly Pair[], side: 'down' | 'up', weight: keyof Part): Map<Pair, bigint> {
  const amounts = new Map<Pair, bigint>()
  for (const asset of new Set(pairs.map((pair) => pair[side]))) {
    const ofAsset = pairs.filter((pair) => pair[side] === asset)
    const total = sumOf(ofAsset, ({ part }) => part[weight])
    let rest = asset.amount
    for (const [n, pair] of ofAsset.entries()) {
      const amount = n === ofAsset.length - 1 ? rest : (asset.amount * pair.part[weight]) / total
      amounts.set(pair, amount)
      rest -= amount
    }
  }
  return amounts
}

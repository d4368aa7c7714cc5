import type { Hex } from 'viem'

import { rawTokens } from '#sim/evm/contracts/price.ts'
import type { Actor, Asset, Step, Venue } from '#sim/evm/types.ts'

import type { Desk } from './desk.ts'
import { amountTo, coinPrice, quoteOf, rawPaid } from './quotes.ts'

type Of<K extends Step['kind']> = Extract<Step, { kind: K }>

/** Moves the price of a pool by trades of the crowd. The team sells the tokens that the crowd does not hold. */
export function toward(desk: Desk, { token, venue, price_usd }: Of<'toward'>): void {
  const { pools, contracts, assetOf } = desk
  const paid: Asset = venue === 'v4' ? 'native' : 'dollar'
  const quote = quoteOf(pools, contracts, venue, assetOf(token), assetOf(paid))
  if (quote === undefined) return
  const target = paid === 'native' ? price_usd / coinPrice(pools, contracts) : price_usd
  const needed = amountTo(quote, target, quote.pool.fee)
  if (needed === undefined) return
  if (needed.isPurchase) buy(desk, venue, assetOf(token), assetOf(paid), needed.amount)
  else
    sell(desk, { venue, token: assetOf(token), paid: assetOf(paid), amount: rawTokens(needed.amount), sellers: [0, 2] })
}

/** Sells about so many dollars of a token through its pool of V3. Other wallets sell than those that move prices. */
export function supply(desk: Desk, { token, usd }: Of<'supply'>): void {
  const { pools, contracts, assetOf } = desk
  const quote = quoteOf(pools, contracts, 'v3', assetOf(token), contracts.dollar)
  if (quote === undefined) return
  const amount = rawTokens(usd / quote.price)
  sell(desk, { venue: 'v3', token: assetOf(token), paid: contracts.dollar, amount, sellers: [2, 10] })
}

const crowdOf = ({ plan }: Desk): Actor[] => plan.actors.filter(({ role }) => role === 'crowd')

function buy(desk: Desk, venue: Venue, token: Hex | 'native', paid: Hex | 'native', amount: number): void {
  const raw = rawPaid(paid, desk.contracts, amount)
  const able = crowdOf(desk).filter((actor) => desk.held(desk.addressOf(actor), paid) >= raw)
  if (able.length > 0) desk.swap(desk.random.pick(able), { route: venue, from: paid, to: token, amount: raw })
}

type Sale = {
  venue: Venue
  token: Hex | 'native'
  paid: Hex | 'native'
  amount: bigint
  /** The first seller and the end, among the wallets of the crowd in the order of what they hold, the largest first. */
  sellers: readonly [number, number]
}

/** Sells tokens of the crowd; the wallets with the largest balances sell first. */
function sell(desk: Desk, { venue, token, paid, amount, sellers }: Sale): void {
  const holders = crowdOf(desk)
    .map((actor) => ({ actor, held: desk.held(desk.addressOf(actor), token) }))
    .filter(({ held }) => held > 0n)
    .toSorted((a, b) => (a.held === b.held ? a.actor.index - b.actor.index : a.held > b.held ? -1 : 1))
    .slice(...sellers)
  let left = amount
  for (const { actor, held } of holders) {
    const part = held < left ? held : left
    if (desk.swap(actor, { route: venue, from: token, to: paid, amount: part })) left -= part
  }
  const [team] = desk.plan.actors
  if (left > amount / 20n && team !== undefined) desk.swap(team, { route: venue, from: token, to: paid, amount: left })
}

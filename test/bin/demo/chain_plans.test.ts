import { expect, onTestFinished, test } from 'vitest'

import { chainPlans } from '#bin/demo/chain_plans.ts'
import { holdingOf } from '#sim/chains/holdings.ts'
import { dollarOf, tokensOf, walletsOf, type SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { native } from '#sim/evm/contracts/setup.ts'
import { openEvmWorld } from '#sim/evm/world.ts'
import { endsAt_s, now_s } from '#sim/markets/event_templates.ts'
import { openSolanaWorld } from '#sim/solana/world.ts'
import { anvil } from '#test/run/anvil.ts'

const seed = 1
const plans = chainPlans(seed, { now_s, ends_s: endsAt_s, hasNode: anvil !== undefined })
const day_s = 86_400

/** The worth of a wallet of a demo in US dollars: of any wallet, and of the one in the middle. */
const bounds = { least: 100, most: 1_000_000, middle: [5_000, 50_000] } as const

/** The raw holding of a wallet with the decimals and the first price of its token. */
type Holding = { wallet: string; amount: bigint; decimals: number; usd: number }

/** Expects believable wallets: nothing below zero, none too poor or too rich, and no two worth the same. */
function expectBelievable(holdings: readonly Holding[], where: string): void {
  const worth = new Map<string, number>()
  for (const { wallet, amount, decimals, usd } of holdings) {
    expect(amount, `${where} ${wallet}`).toBeGreaterThanOrEqual(0n)
    worth.set(wallet, (worth.get(wallet) ?? 0) + (Number(amount) / 10 ** decimals) * usd)
  }
  const sorted = [...worth.values()].toSorted((a, b) => a - b)
  expect(sorted[0], where).toBeGreaterThan(bounds.least)
  expect(sorted.at(-1), where).toBeLessThan(bounds.most)
  const middle = sorted[Math.floor(sorted.length / 2)] ?? 0
  expect([middle > bounds.middle[0], middle < bounds.middle[1]], `${where}: ${middle}`).toEqual([true, true])
  expect(new Set(sorted.map((usd) => usd.toFixed(2))).size, where).toBe(sorted.length)
}

function holdingsAt(chain: SimulatedChain, at_s: number): Holding[] {
  const block = Math.floor((at_s - chain.start_s) / chain.block_s)
  const listed = (chain.listings ?? []).map(({ usd }, n) => ({
    token: tokensOf(chain)[n]?.address ?? '',
    usd,
    decimals: 18,
  }))
  const [coin] = listed
  const assets = [
    { token: 'native', usd: coin?.usd ?? 0, decimals: 18 },
    { token: dollarOf(chain), usd: 1, decimals: 6 },
    ...listed,
  ]
  return walletsOf(chain).flatMap((wallet) =>
    assets.map(({ token, ...price }) => ({
      wallet,
      ...price,
      amount: holdingOf(chain, block, { wallet, token, block }),
    })),
  )
}

test('no wallet of a light chain has an unbelievable balance, at the start of a demo and at its end', () => {
  expect(plans.light.map(({ slug }) => slug)).toEqual(expect.arrayContaining(['base', 'arbitrum', 'polygon']))
  for (const chain of plans.light) {
    for (const at_s of [now_s, endsAt_s]) expectBelievable(holdingsAt(chain, at_s), `${chain.slug} at ${at_s}`)
    // The coin of a chain has about the price of the real one.
    expect(tokensOf(chain).map(({ symbol }) => symbol)).toContain(chain.slug === 'polygon' ? 'WPOL' : 'WETH')
  }
})

test('no wallet of Solana has an unbelievable balance, at the start of a demo and a day later', () => {
  const { solana } = plans
  const world = openSolanaWorld(solana)
  const usdOf = new Map(
    world.tokens.map(({ mint, decimals }, n) => [mint, { decimals, usd: solana.listings?.[n]?.usd ?? 0 }]),
  )
  usdOf.set(world.dollar, { decimals: 6, usd: 1 })
  const coin = solana.listings?.[0]?.usd ?? 0
  for (const days of [0, 1]) {
    world.advance(solana.n_slots + (days * day_s) / solana.slot_s)
    const holdings = world.wallets.flatMap((wallet): Holding[] => [
      { wallet, amount: world.bank.balanceOf(wallet), decimals: 9, usd: coin },
      ...world.bank
        .accountsOf(wallet)
        .map(({ mint, amount }) => ({ wallet, amount, ...(usdOf.get(mint) ?? { decimals: 0, usd: 0 }) })),
    ])
    expectBelievable(holdings, `solana after ${days} days`)
  }
})

test.skipIf(anvil === undefined)(
  'no wallet of the real node has an unbelievable balance, the team not either',
  async () => {
    const world = await openEvmWorld(plans.real)
    onTestFinished(world.close)
    const usdOf = new Map(
      world.tokens.map((token, n) => [token as string, { decimals: 18, usd: world.plan.tokens[n]?.price_usd ?? 0 }]),
    )
    usdOf.set(world.dollar, { decimals: 6, usd: 1 })
    usdOf.set('native', { decimals: 18, usd: native.price_usd })
    const holdings = [...world.ledger.holdings].flatMap(([key, amount]): Holding[] => {
      const [wallet = '', token = ''] = key.split(' ')
      const price = usdOf.get(token)
      // Only tokens with a price count, as in the API: the shares of pools, which the team holds, have none.
      return price === undefined ? [] : [{ wallet, amount, ...price }]
    })
    expect(new Set(holdings.map(({ wallet }) => wallet)).size).toBe(world.addresses.length)
    expectBelievable(holdings, 'ethereum')
  },
)

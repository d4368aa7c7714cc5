import { findChain } from '#registry/chains/find_chain.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import type { EvmWorldOptions } from '#sim/evm/world.ts'
import { unconfirmed } from '#sim/solana/node.ts'
import type { SolanaPlan } from '#sim/solana/world.ts'
import { listingsOf } from '#sim/token_listings.ts'

/** The chains of a demo as of an instant, in seconds. All of them are lifelike. */
export type ChainPlans = { light: SimulatedChain[]; solana: SolanaPlan; real: EvmWorldOptions }

/** The chains of a light server, beside Ethereum without a real node, with the first prices of their coins in dollars. */
const lightCoins = { base: 2_470, arbitrum: 2_460, polygon: 0.38 }
const ethereumCoin = 2_480
/** Their blocks by now, and the seconds between two. */
const past = { n_blocks: 600, block_s: 900 }
/** Solana: four units of final slots. */
const slots = { n_slots: 401 + unconfirmed, slot_s: 60 }
const solanaCoin = { symbol: 'SOL', name: 'Wrapped SOL', usd: 155 }
/** The traded tokens of a chain: a listed wallet has sold at least five. */
const n_tokens = 12
/** The size of the chain of the real node: a larger one would take most of the minute of a demo's start. */
const size = 0.3

/** `ends_s` is the end of the plan of the real chain. Where `hasNode` is false, a light chain stands for it. */
export function chainPlans(
  seed: number,
  { now_s, ends_s, hasNode }: { now_s: number; ends_s: number; hasNode: boolean },
): ChainPlans {
  const coins = { ...(hasNode ? {} : { ethereum: ethereumCoin }), ...lightCoins }
  const start_s = now_s - past.n_blocks * past.block_s
  return {
    light: Object.entries(coins).map(([slug, usd]) => lightChain(slug, usd, { seed, start_s })),
    solana: {
      ...slots,
      seed,
      start_s: now_s - slots.slot_s * slots.n_slots,
      isLarge: false,
      listings: listingsOf(solanaCoin, n_tokens),
    },
    real: { seed, size, now_s, ends_s, isLifelike: true },
  }
}

function lightChain(slug: string, usd: number, { seed, start_s }: { seed: number; start_s: number }): SimulatedChain {
  const { id, stables, wrapped, native } = findChain(slug)
  const [dollar] = stables
  if (id === null || dollar === undefined || wrapped === null)
    throw new Error(`chain ${slug}: no dollar or wrapped coin; expected a chain with both`)
  const listings = listingsOf({ symbol: `W${native.symbol}`, name: `Wrapped ${native.symbol}`, usd }, n_tokens)
  return { slug, id, seed, block_s: past.block_s, start_s, dollar, wrapped, listings }
}

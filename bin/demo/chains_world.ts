import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

import { findChain } from '#registry/chains/find_chain.ts'
import { serveChains } from '#sim/chains/serve_chains.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { fastClock } from '#sim/clock.ts'
import { findAnvil } from '#sim/evm/node/program.ts'
import { listingsOf } from '#sim/listings.ts'
import { unconfirmed } from '#sim/solana/node.ts'
import { solanaNode } from '#sim/solana/served_node.ts'
import { machineClock, SECOND, type Clock, type Micros } from '#time.ts'

export type ChainsSettings = {
  seed: number
  speed: number
  /** The instant of the chains until they run, and the end of their plan. */
  now: Micros
  endsAt: Micros
}

/** The first message of the thread: the settings `RPC_<CHAIN>` with the addresses of the nodes. */
export type ChainsAnnouncement = { settings: Record<string, string> }

/** Its second message, once all chains are made: the chain of the real node; null where this machine has no anvil. */
export type ChainsMade = { real: { n_wallets: number; n_blocks: number } | null }

/** The chains that a light server answers for, beside Ethereum, with the first prices of their coins in US dollars. */
const lightChains = { base: 2_470, arbitrum: 2_460, polygon: 0.38 }
const first_usd = { ethereum: 2_480, solana: 155 }
/** Their blocks by now, and the seconds between two. */
const past = { n_blocks: 600, block_s: 900 }
/** Solana: four units of final slots. */
const solana = { n_slots: 401 + unconfirmed, slot_s: 60, isLarge: false }
/** The traded tokens of a chain: a listed wallet has sold at least five. */
const n_tokens = 12
/** The size of the chain of the real node: a larger one would take most of the minute of a demo's start. */
const size = 0.3
/** Milliseconds between two looks at the clock. */
const pause_ms = 250

// Only `startChains` starts this file, with these settings.
const { seed, speed, now, endsAt } = workerData as ChainsSettings
/** The clock is stopped until the first cycle is done, as that of the venues is. */
let clock: Clock = () => now
const now_s = now / SECOND

const lightChain = ([slug, usd]: [string, number]): SimulatedChain => {
  const { id, stables, wrapped, native } = findChain(slug)
  const [dollar] = stables
  if (id === null || dollar === undefined || wrapped === null)
    throw new Error(`chain ${slug}: no dollar or wrapped coin; expected a chain with both`)
  const start_s = now_s - past.n_blocks * past.block_s
  const listings = listingsOf({ symbol: `W${native.symbol}`, name: `Wrapped ${native.symbol}`, usd }, n_tokens)
  return { slug, id, seed, block_s: past.block_s, start_s, dollar, wrapped, listings }
}

/** Ethereum on a real node. Its packages are development dependencies. */
async function openRealChain(onNode: (url: string) => void) {
  const { openEvmWorld } = await import('#sim/evm/world.ts')
  return openEvmWorld({ seed, size, now_s, ends_s: endsAt / SECOND, isLifelike: true, onNode })
}

const isReal = findAnvil() !== undefined
const light = Object.entries({ ...(isReal ? {} : { ethereum: first_usd.ethereum }), ...lightChains })
const solanaStart_s = now_s - solana.slot_s * solana.n_slots
const listings = listingsOf({ symbol: 'SOL', name: 'Wrapped SOL', usd: first_usd.solana }, n_tokens)
const others = [solanaNode({ ...solana, seed, start_s: solanaStart_s, listings })]
const { settings } = await serveChains(light.map(lightChain), () => clock(), others)
const announce = (urls: Record<string, string>): void =>
  parentPort?.postMessage({ settings: urls } satisfies ChainsAnnouncement)
if (!isReal) announce(settings)
const world = isReal ? await openRealChain((url) => announce({ ...settings, RPC_ETHEREUM: url })) : null
parentPort?.once('message', () => {
  clock = fastClock({ start: now, speed, machine: machineClock })
  void mine()
})
const real = world && { n_wallets: world.addresses.length, n_blocks: world.head() }
parentPort?.postMessage({ real } satisfies ChainsMade)

/** Makes the blocks of the plan as their time comes. */
async function mine(): Promise<never> {
  for (;;) {
    await world?.advance(clock() / SECOND)
    await sleep(pause_ms)
  }
}

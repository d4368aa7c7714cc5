import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

import { findChain } from '#registry/chains/find_chain.ts'
import { serveChains } from '#sim/chains/serve_chains.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { fastClock } from '#sim/clock.ts'
import { findAnvil } from '#sim/evm/node/program.ts'
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

/** The chains that a light server answers for, beside Ethereum. */
const lightChains = ['base', 'arbitrum', 'polygon']
/** Their blocks by now, and the seconds between two. */
const light = { n_blocks: 600, block_s: 900 }
/** Solana: four units of final slots, and tokens enough that wallets are listed. */
const solana = { n_slots: 401 + unconfirmed, slot_s: 60, n_tokens: 10, isLarge: false }
/** The size of the chain of the real node: a larger one would take most of the minute of a demo's start. */
const size = 0.3
/** Milliseconds between two looks at the clock. */
const pause_ms = 250

// Only `startChains` starts this file, with these settings.
const { seed, speed, now, endsAt } = workerData as ChainsSettings
/** The clock is stopped until the first cycle is done, as that of the venues is. */
let clock: Clock = () => now
const now_s = now / SECOND

const lightChain = (slug: string): SimulatedChain => {
  const { id, stables, wrapped } = findChain(slug)
  const [dollar] = stables
  if (id === null || dollar === undefined || wrapped === null)
    throw new Error(`chain ${slug}: no dollar or wrapped coin; expected a chain with both`)
  const start_s = now_s - light.n_blocks * light.block_s
  // A listed wallet has sold at least five tokens.
  return { slug, id, seed, block_s: light.block_s, start_s, dollar, wrapped, n_tokens: 12 }
}

/** Ethereum on a real node. Its packages are development dependencies. */
async function openRealChain(onNode: (url: string) => void) {
  const { openEvmWorld } = await import('#sim/evm/world.ts')
  return openEvmWorld({ seed, size, now_s, ends_s: endsAt / SECOND, onNode })
}

const isReal = findAnvil() !== undefined
const slugs = isReal ? lightChains : ['ethereum', ...lightChains]
const solanaStart_s = now_s - solana.slot_s * solana.n_slots
const others = [solanaNode({ ...solana, seed, start_s: solanaStart_s })]
const { settings } = await serveChains(slugs.map(lightChain), () => clock(), others)
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

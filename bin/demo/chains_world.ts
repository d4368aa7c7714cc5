import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

import { serveChains } from '#sim/chains/serve_chains.ts'
import { fastClock } from '#sim/clock.ts'
import { findAnvil } from '#sim/evm/node/program.ts'
import { solanaNode } from '#sim/solana/served_node.ts'
import { machineClock, SECOND, type Clock, type Micros } from '#time.ts'

import { chainPlans } from './chain_plans.ts'

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

/** Milliseconds between two looks at the clock. */
const pause_ms = 250

// Only `startChains` starts this file, with these settings.
const { seed, speed, now, endsAt } = workerData as ChainsSettings
/** The clock is stopped until the first cycle is done, as that of the venues is. */
let clock: Clock = () => now

/** Ethereum on a real node. Its packages are development dependencies. */
async function openRealChain(onNode: (url: string) => void) {
  const { openEvmWorld } = await import('#sim/evm/world.ts')
  return openEvmWorld({ ...real, onNode })
}

const hasNode = findAnvil() !== undefined
const { light, solana, real } = chainPlans(seed, { now_s: now / SECOND, ends_s: endsAt / SECOND, hasNode })
const { settings } = await serveChains(light, () => clock(), [solanaNode(solana)])
const announce = (urls: Record<string, string>): void =>
  parentPort?.postMessage({ settings: urls } satisfies ChainsAnnouncement)
if (!hasNode) announce(settings)
const world = hasNode ? await openRealChain((url) => announce({ ...settings, RPC_ETHEREUM: url })) : null
parentPort?.once('message', () => {
  clock = fastClock({ start: now, speed, machine: machineClock })
  void mine()
})
const made = world && { n_wallets: world.addresses.length, n_blocks: world.head() }
parentPort?.postMessage({ real: made } satisfies ChainsMade)

/** Makes the blocks of the plan as their time comes. */
async function mine(): Promise<never> {
  for (;;) {
    await world?.advance(clock() / SECOND)
    await sleep(pause_ms)
  }
}

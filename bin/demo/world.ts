import { endsAt_s, now_s } from '#sim/markets/event_templates.ts'
import type { Crowd } from '#sim/markets/world.ts'
import { SECOND } from '#time.ts'

import { startChains, type DemoChains } from './demo_chains.ts'
import { startUpstream, type Upstream } from './upstream.ts'

/**
 * All markets of a world of scale 1 with fewer traders and matches, since reading them is most of a demo's start. Each
 * trader enters more markets, on which estimates of skill rest; half of the markets would leave lists of skill empty.
 */
const crowd: Crowd = { traders: 0.35, matches: 0.5 }

/** The simulated world of a demo: venues with posts, and chains, whose clocks are stopped until `run`. */
export type DemoWorld = { upstream: Upstream; chains: DemoChains; run: () => void; close: () => Promise<void> }

/** Starts the venues and the chains side by side, each in a thread of its own. If one fails, the other ends too. */
export async function startDemoWorld({ seed, speed }: { seed: number; speed: number }): Promise<DemoWorld> {
  const parts = [
    startUpstream({ seed, speed, crowd, hasPosts: true, isLifelike: true }),
    startChains({ seed, speed, now: now_s * SECOND, endsAt: endsAt_s * SECOND }),
  ] as const
  const close = async (): Promise<void> => {
    for (const part of await Promise.allSettled(parts)) if (part.status === 'fulfilled') await part.value.close()
  }
  try {
    const [upstream, chains] = await Promise.all(parts)
    const run = (): void => {
      upstream.run()
      chains.run()
    }
    return { upstream, chains, run, close }
  } catch (error) {
    await close()
    throw error
  }
}

import type { OtherNode } from '#sim/chains/serve_chains.ts'

import { answerSolana, textOfAnswer } from './node.ts'
import { openSolanaWorld, type SolanaPlan, type SolanaWorld } from './world.ts'

/** The slot of an instant, in seconds. */
const slotAt = ({ start_s, slot_s }: SolanaPlan, at_s: number): number => Math.floor((at_s - start_s) / slot_s)

/** A node of a simulated Solana, to be served. Slots beyond those of the plan are made as their time comes. */
export function solanaNode(plan: SolanaPlan): OtherNode & { world: SolanaWorld } {
  const world = openSolanaWorld(plan)
  return {
    slug: 'solana',
    world,
    answer: (body, now_s) => {
      const head = slotAt(plan, now_s)
      world.advance(head + 1)
      return textOfAnswer(answerSolana(world, body, head))
    },
  }
}

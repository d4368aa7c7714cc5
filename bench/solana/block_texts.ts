import { answerSolana, textOfAnswer } from '#sim/solana/node.ts'
import { openSolanaWorld } from '#sim/solana/world.ts'

/** About as many transactions as a block of the real chain has. */
const mostTransactions = 1_600
const options = { encoding: 'json', maxSupportedTransactionVersion: 0 }

/** The JSON of blocks with as many transactions as those of the real chain, from a simulated one. */
export function blockTexts(n_blocks: number): string[] {
  const n_slots = 1_200
  const world = openSolanaWorld({ seed: 1, n_slots, start_s: 1_790_000_000, slot_s: 10, isLarge: false })
  const transactions = [...world.blocks.keys()].flatMap((slot) => {
    const answer = answerSolana(world, { id: 1, method: 'getBlock', params: [slot, options] }, 2 * n_slots)
    return (answer as { result: { transactions: unknown[] } }).result.transactions
  })
  return Array.from({ length: n_blocks }, (_, n) => {
    const from = (n * mostTransactions) % (transactions.length - mostTransactions)
    return textOfAnswer({ transactions: transactions.slice(from, from + mostTransactions) })
  })
}

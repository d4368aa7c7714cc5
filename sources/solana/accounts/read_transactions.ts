import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { trimmedOf } from '#sources/solana/blocks/raw_block.ts'

import type { Listed } from './list_signatures.ts'

/** A transaction as it was read, as raw JSON-RPC. `tx_index` is -1 where no other one of its slot was read. */
export type RawTransaction = { signature: string; block: number; tx_index: number; time_s: number; body: unknown }

/** Transactions that are asked for at one node before the next ones. */
const atOnce = 100

const shape = z
  .object({ slot: z.number().int(), blockTime: z.number().nullable(), transaction: z.unknown(), meta: z.unknown() })
  .nullable()

/** Reads transactions by their signatures. The slots of the answers are those of the list. */
export async function readTransactions(rpc: Rpc, listed: readonly Listed[]): Promise<RawTransaction[]> {
  const read: RawTransaction[] = []
  for (let at = 0; at < listed.length; at += atOnce) {
    const some = listed.slice(at, at + atOnce)
    const calls = some.map(({ signature }) => ({
      method: 'getTransaction',
      params: [signature, { encoding: 'json', commitment: 'finalized', maxSupportedTransactionVersion: 0 }],
      shape,
    }))
    const firstBlock = Math.min(...some.map(({ slot }) => slot))
    read.push(
      ...(await rpc.at(async (node) => (await node.batch(calls)).map((answer, n) => rawOf(answer, some[n])), {
        firstBlock,
      })),
    )
  }
  return read
}

function rawOf(answer: z.output<typeof shape>, listed: Listed | undefined): RawTransaction {
  const { signature = '', slot } = listed ?? {}
  if (answer === null) throw new RpcFault('check', `transaction ${signature}: null; expected the listed transaction`)
  if (answer.slot !== slot || answer.blockTime === null)
    throw new RpcFault('check', `transaction ${signature}: slot ${answer.slot}; expected ${slot}, with its time`)
  return { signature, block: slot, tx_index: -1, time_s: answer.blockTime, body: trimmedOf(answer) }
}

const blockShape = z.object({ signatures: z.array(z.string()) })

/**
 * Transactions with their positions where a slot has several of them, since their order decides which one was first. An
 * answer by signature lacks the position.
 */
export async function withPositions(rpc: Rpc, read: readonly RawTransaction[]): Promise<RawTransaction[]> {
  const bySlot = new Map<number, RawTransaction[]>()
  for (const transaction of read) bySlot.set(transaction.block, [...(bySlot.get(transaction.block) ?? []), transaction])
  const placed: RawTransaction[] = []
  for (const [slot, some] of bySlot) {
    const isPlaced = some.length === 1 || some.every(({ tx_index }) => tx_index >= 0)
    placed.push(...(isPlaced ? some : await placedIn(rpc, slot, some)))
  }
  return placed.toSorted((a, b) => a.block - b.block || a.tx_index - b.tx_index)
}

const placedIn = (rpc: Rpc, slot: number, some: readonly RawTransaction[]): Promise<RawTransaction[]> =>
  rpc.at(
    async (node) => {
      const options = {
        commitment: 'finalized',
        transactionDetails: 'signatures',
        rewards: false,
        maxSupportedTransactionVersion: 0,
      }
      const { signatures } = await node.call({ method: 'getBlock', params: [slot, options], shape: blockShape })
      const positions = new Map(signatures.map((signature, n) => [signature, n]))
      return some.map((transaction) => {
        const tx_index = positions.get(transaction.signature)
        if (tx_index === undefined)
          throw new RpcFault('check', `block ${slot}: lacks ${transaction.signature}; expected the listed transaction`)
        return { ...transaction, tx_index }
      })
    },
    { firstBlock: slot },
  )

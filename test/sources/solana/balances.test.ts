import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { solana } from '#registry/chains/chain.ts'
import { answerSolana, textOfAnswer, unconfirmed } from '#sim/solana/node.ts'
import { openSolanaWorld } from '#sim/solana/world.ts'
import { createBalanceReader } from '#sources/evm/balances/balance_reader.ts'

const world = openSolanaWorld({ seed: 3, n_slots: 60, start_s: 1_790_000_000, slot_s: 10, isLarge: true })

/** Reads balances of the simulated chain; `answer` replaces the answers of its node. */
function readerOf(answer?: () => Response) {
  const respond = (body: string): Response =>
    new Response(textOfAnswer(answerSolana(world, JSON.parse(body), 60 + unconfirmed)))
  let now_ms = 0
  const read = createBalanceReader(
    { rpcUrls: { solana: ['https://node.example'] }, rpcWorld: 'seed-3' },
    {
      now_ms: () => now_ms,
      sleep: async (ms) => void (now_ms += ms),
      random: () => 0.5,
      fetch: async (_, init) => answer?.() ?? respond(z.string().parse(init?.body)),
    },
  )
  return (wallet: string) => read({ chain: solana, wallet, tokens: [], within_ms: 1_000 })
}

describe('balances of Solana', () => {
  test('are the SOL and all tokens of each wallet, in raw units', async () => {
    const read = readerOf()
    for (const wallet of world.wallets) {
      const { held, unread } = await read(wallet)
      const truth = world.bank.accountsOf(wallet).filter(({ amount }) => amount > 0n)
      expect(new Map(held.map(({ token, raw }) => [token, raw]))).toEqual(
        new Map([
          ['native', world.bank.balanceOf(wallet)],
          ...truth.map(({ mint, amount }) => [mint, amount] as const),
        ]),
      )
      expect(unread).toEqual([])
    }
  })

  test('of an address that does not exist are none', async () => {
    expect(await readerOf()('9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin')).toEqual({ held: [], unread: [] })
  })

  test('of a mint are none, with the reason', async () => {
    const mint = world.tokens[1]?.mint ?? ''
    expect(await readerOf()(mint)).toEqual({ held: [], unread: [], problem: 'the address is a mint, no wallet' })
  })

  test('are an error while no node answers, and while a node serves another chain', async () => {
    const [wallet = ''] = world.wallets
    await expect(readerOf(() => new Response('busy', { status: 429 }))(wallet)).rejects.toThrow(/no endpoint answered/)
    const other = () => new Response('{"jsonrpc":"2.0","id":0,"result":"EtWTRABZaYq6iMfeYKouRu166VU2xqa1wcaWoxPkrZBG"}')
    await expect(readerOf(other)(wallet)).rejects.toThrow(/wrong chain/)
  })
})

import { describe, expect, test } from 'vitest'

import { sumOf, type ChainFacts, type Trade, type TransactionFacts } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'

import { isRecorded } from './files.ts'
import { chainOf, readReviewed } from './reviewed.ts'
import { readWholeBlocks } from './whole_blocks.ts'

/** What rows, the value sent and the calls show that an address got or paid of a token, at most. */
function shownFor(
  address: string,
  token: string,
  side: 'got' | 'paid',
  tx: TransactionFacts,
  chain: ChainFacts,
): bigint {
  const isToken = (name: string): boolean => name === token || (token === 'native' && name === chain.wrapped)
  const rows = tx.transfers.filter(
    (row) => isToken(row.token) && (side === 'got' ? row.recipient : row.sender) === address,
  )
  const isSent = token === 'native' && (side === 'got' ? tx.recipient : tx.sender) === address
  return sumOf(rows, ({ amount }) => amount) + (isSent ? tx.amount : 0n)
}

/** The native coin that came out of wraps and pools, or went into them: the most that a wallet may have got unseen. */
const unseen = (side: 'got' | 'paid', tx: TransactionFacts): bigint =>
  sumOf(tx.transfers, ({ kind, amount }) => (kind === (side === 'got' ? 'unwrap' : 'wrap') ? amount : 0n)) +
  sumOf(tx.swaps, ({ amount0, amount1 }) =>
    [amount0, amount1].reduce<bigint>((sum, amount) => {
      const size = (side === 'got' ? -1n : 1n) * (amount ?? 0n)
      return size > 0n ? sum + size : sum
    }, 0n),
  )

/** The legs of a transaction, added up by wallet and token, that exceed what the transaction shows. */
function excessOf(trades: readonly Trade[], tx: TransactionFacts, chain: ChainFacts): string[] {
  const addresses = [...new Set(tx.transfers.flatMap(({ sender, recipient }) => [sender, recipient]))]
  return [...new Set(trades.map(({ wallet }) => wallet))].flatMap((wallet) => {
    const mine = trades.filter((trade) => trade.wallet === wallet)
    return (['sold', 'bought'] as const).flatMap((leg) => {
      const side = leg === 'sold' ? 'paid' : 'got'
      return [...new Set(mine.map((trade) => trade[`token_${leg}`]))].flatMap((token) => {
        const sum = sumOf(mine, (trade) => (trade[`token_${leg}`] === token ? trade[`amount_${leg}`] : 0n))
        const shown = shownFor(wallet, token, side, tx, chain)
        // What was bought may have been delivered to another address, and what arrived for a wallet sold by a router.
        const others = addresses.map((address) => shownFor(address, token, side, tx, chain))
        const isElsewhere = leg === 'bought' || shown === 0n
        const limits = [shown, ...(isElsewhere ? others : []), token === 'native' ? shown + unseen(side, tx) : 0n]
        return limits.some((limit) => sum <= limit) ? [] : [`${wallet} ${leg} ${sum} ${token}; shown ${shown}`]
      })
    })
  })
}

describe.skipIf(!isRecorded)('recorded transactions', () => {
  const blockChains: Record<string, string> = { polygon: 'polygon_pos', arbitrum: 'arbitrum_one' }
  const transactions = isRecorded
    ? [...readWholeBlocks(), ...readReviewed()].map(({ chain, tx, facts }) => ({
        tx,
        facts,
        chain: chainOf(blockChains[chain] ?? chain),
      }))
    : []

  test('have no trades whose legs add up to more than rows, value and calls show', () => {
    let n_trades = 0
    const excesses = transactions.flatMap(({ tx, facts, chain }) => {
      const trades = tradesOf(facts, flowsOf(facts, chain), chain)
      n_trades += trades.length
      return excessOf(trades, facts, chain).map((excess) => `${tx}: ${excess}`)
    })
    expect(excesses).toEqual([])
    expect(n_trades).toBeGreaterThan(300)
  })

  test('show less than legs that count a movement twice', () => {
    const found = transactions.filter(({ facts, chain }) => {
      const trades = tradesOf(facts, flowsOf(facts, chain), chain).filter(({ kind }) => kind === 'swap')
      const twice = trades.map((trade) => ({ ...trade, amount_sold: 2n * trade.amount_sold }))
      return excessOf(twice, facts, chain).length > 0
    })
    expect(found.length).toBeGreaterThan(200)
  })
})

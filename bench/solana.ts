import { parseArgs } from 'node:util'

import type { TransactionFacts } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'
import { keptOf } from '#sources/solana/blocks/raw_block.ts'
import { transactionTextsOf } from '#sources/solana/blocks/transaction_texts.ts'
import { movementsOf, payerOf } from '#sources/solana/parse/movements.ts'
import { swapCallsOf } from '#sources/solana/parse/swaps.ts'
import { readTransaction } from '#sources/solana/parse/transaction.ts'

import { median } from './fold/own_process.ts'
import { blockTexts } from './solana/block_texts.ts'

/**
 * Blocks of Solana from their JSON to trades, compared with parsing the same JSON and reading every token balance:
 * `npm run bench -- solana [--blocks 40] [--rounds 7]`. The blocks are those of the simulated chain, joined to 1,600
 * transactions each, of which half are votes. Both sides run alternately in one process, and seconds are those of the
 * processor. The last line is `ratio ceiling`, the median of ceiling / trades over the rounds.
 */
const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '40' }, rounds: { type: 'string', default: '7' } },
})

type Body = { transactions: unknown[] }

/** Parses the blocks, and reads the owner, the mint and the amount of each token balance. */
function readBalances(texts: readonly string[]): bigint {
  let sum = 0n
  for (const text of texts) {
    for (const body of (JSON.parse(text) as Body).transactions) {
      const { meta } = body as { meta: Record<string, TokenBalance[]> }
      for (const side of ['preTokenBalances', 'postTokenBalances'])
        for (const { mint, owner, uiTokenAmount } of meta[side] ?? [])
          sum += BigInt(uiTokenAmount.amount) + BigInt(mint.length + owner.length)
    }
  }
  return sum
}
type TokenBalance = { mint: string; owner: string; uiTokenAmount: { amount: string } }

const chain = {
  wrapped: null,
  tokensOf: () => undefined,
  isPlain: () => false,
  isContract: () => undefined,
  usdOf: () => null,
}

/** Parses the blocks to the trades of their wallets. */
function readTrades(texts: readonly string[]): number {
  let n = 0
  for (const text of texts) {
    for (const { body } of keptOf(transactionTextsOf(text)?.transactions ?? [], false)) {
      const facts = factsOf(body)
      n += tradesOf(facts, flowsOf(facts, chain), chain).length
    }
  }
  return n
}

function factsOf(body: unknown): TransactionFacts {
  const tx = readTransaction(body)
  const transfers = movementsOf(tx).map(({ kind, token, amount, owner, isIn, other }, log_index) => {
    const [sender, recipient] = isIn ? [other, owner] : [owner, other]
    return { log_index, kind, token, amount, sender, recipient }
  })
  const swaps = swapCallsOf(tx).map(({ family, pool, paid, received, trader }, log_index) => ({
    coin0_index: null,
    coin1_index: null,
    sender: null,
    recipient: null,
    log_index,
    family,
    pool,
    trader,
    token0: paid?.token ?? null,
    token1: received?.token ?? null,
    amount0: paid?.amount ?? null,
    amount1: received?.amount ?? null,
  }))
  return {
    sender: payerOf(tx),
    recipient: null,
    amount: 0n,
    is_ok: tx.isOk,
    is_traced: false,
    swaps,
    transfers,
    operations: [],
  }
}

/** Seconds of the processor of a piece of work. */
function cpuOf(work: () => unknown): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

const texts = blockTexts(Number(values.blocks))
const megabytes = texts.reduce((sum, text) => sum + text.length, 0) / 1e6
const n_trades = readTrades(texts)
readBalances(texts)
const rounds = Array.from({ length: Number(values.rounds) }, () => ({
  ceiling: cpuOf(() => readBalances(texts)),
  trades: cpuOf(() => readTrades(texts)),
}))
console.log(`${texts.length} blocks of ${(megabytes / texts.length).toFixed(1)} MB, ${n_trades} trades`)
for (const side of ['ceiling', 'trades'] as const) {
  const cpu_s = median(rounds.map((round) => round[side]))
  console.log(`${side} ${cpu_s.toFixed(2)} s of the processor, ${(texts.length / cpu_s).toFixed(1)} blocks/s`)
}
console.log(`ratio ceiling ${median(rounds.map(({ ceiling, trades }) => ceiling / trades)).toFixed(2)}`)

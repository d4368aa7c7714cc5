import { z } from 'zod'

import { toRows, type ColumnBatch } from '#lake/units/column_batch.ts'
import type { SwapFact, Trade, TransactionFacts, TransferFact } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'
import { parseExactJson } from '#sources/solana/parse/exact_json.ts'
import { openSolanaRows } from '#sources/solana/rows.ts'

import { readJson, readText } from './files.ts'
import { chainOf } from './reviewed.ts'

/** The transactions in a recorded answer, wherever they stand in it. */
export function transactionsIn(value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return []
  if ('meta' in value && 'transaction' in value) return [value]
  return Object.values(value).flatMap(transactionsIn)
}

export const transactionsOfFile = (path: string): unknown[] => transactionsIn(parseExactJson(readText(path)))

/** The rows of a transaction as facts of flows, with the decimals of its tokens, or the reason of its rejection. */
export function factsOf(body: unknown): { facts: TransactionFacts; decimals: Map<string, number>; fee: bigint } {
  const collected = openSolanaRows()
  collected.addTransaction(body, { block: 1, tx_index: 0, ts: 0 })
  const { rows, rejected } = collected.result()
  const table = (name: keyof typeof rows): readonly Record<string, unknown>[] => toRows(rows[name] as ColumnBatch)
  const [transaction] = table('transactions')
  if (transaction === undefined) throw new Error(rejected[0]?.reason)
  const { amount_fee, ...own } = transaction
  return {
    facts: {
      ...(own as Pick<TransactionFacts, 'sender' | 'recipient' | 'amount' | 'is_ok'>),
      is_traced: false,
      swaps: table('swaps') as SwapFact[],
      transfers: table('transfers') as TransferFact[],
      operations: [],
    },
    decimals: new Map([
      ['native', 9],
      ...table('tokens').map((row) => [row['token'], row['decimals']] as [string, number]),
    ]),
    fee: amount_fee as bigint,
  }
}

const chain = chainOf('solana')
export const tradesIn = (body: unknown): Trade[] => {
  const { facts } = factsOf(body)
  return tradesOf(facts, flowsOf(facts, chain), chain)
}

/** A leg of the review: a token and a decimal amount. */
export type ReviewedLeg = { token: string; amount: string }
export type ReviewedTrade = {
  name: string
  wallet: string
  body: unknown
  sold: ReviewedLeg
  bought: ReviewedLeg
  fees: ReviewedLeg[]
}

const fileShape = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      tx: z.string(),
      accounts: z.record(z.string(), z.array(z.string())),
      fixture: z.string(),
      events: z.array(z.object({ cls: z.string(), event_subtype: z.string(), asset: z.string(), amount: z.string() })),
    }),
  ),
)

/** The trades that people reviewed, with the answers of nodes for their transactions. */
export function readReviewedSolana(): ReviewedTrade[] {
  const families = Object.entries(readJson('rotki__rotki/expected_swaps.json') as Record<string, unknown>)
  const own = fileShape.parse(Object.fromEntries(families.filter(([family]) => family.startsWith('solana'))))
  return Object.values(own).flatMap((tests) =>
    Object.entries(tests).map(([name, { tx, accounts, fixture, events }]) => {
      const legs = (subtype: string): ReviewedLeg[] =>
        events
          .filter(({ cls, event_subtype }) => cls === 'SolanaSwapEvent' && event_subtype === subtype)
          .map(({ asset, amount }) => ({ token: tokenOf(asset), amount }))
      const [sold, bought] = [legs('SPEND')[0], legs('RECEIVE')[0]]
      const body = transactionsOfFile(`rotki__test-caching/${fixture}`).find((one) => JSON.stringify(one).includes(tx))
      const wallet = Object.values(accounts)[0]?.[0]
      if (sold === undefined || bought === undefined || wallet === undefined) throw new Error(`${name}: no two legs`)
      return { name, wallet, body, sold, bought, fees: legs('FEE') }
    }),
  )
}

const tokenOf = (asset: string): string =>
  ['A_SOL', 'A_WSOL'].includes(asset) ? 'native' : asset.replace('solana/token:', '')

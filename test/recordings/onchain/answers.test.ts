import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { sumOf, type Trade } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'

import { isRecorded } from './files.ts'
import { chainOf, factsOf } from './reviewed.ts'
import { readWholeBlocks } from './whole_blocks.ts'

/**
 * The answer to a recorded transaction, by a judge who did not know the rule. A trade is the digest of its wallet and
 * legs; in one whose native coin no row shows, that amount is left out and lies between two bounds. The developers of the
 * rule saw the answers of one half, by the hash of the transaction, and opened the other half once.
 */
const answerShape = z.object({
  tx: z.string(),
  chain_id: z.number(),
  file: z.string().optional(),
  half: z.enum(['shown', 'held']),
  kind: z.string(),
  protocol: z.string(),
  trades: z.array(
    z.object({ digest: z.string(), lower: z.string().optional(), upper: z.string().nullable().optional() }),
  ),
})
type Answer = z.infer<typeof answerShape>
type Verdict = { answer: Answer; n_right: number; extra: Trade[] }

const chains: Record<number, string> = {
  1: 'ethereum',
  10: 'optimism',
  56: 'binance_sc',
  100: 'gnosis',
  137: 'polygon_pos',
  8453: 'base',
  42161: 'arbitrum_one',
}

/** The digest of all trades of a wallet, with one amount left out if there is a hidden one. */
function digestOf(trades: readonly Trade[], hidden?: 'sold' | 'bought'): string {
  const sideOf = (side: 'sold' | 'bought'): string =>
    [...new Set(trades.map((trade) => trade[`token_${side}`]))]
      .map((token) => {
        const amount = sumOf(trades, (trade) => (trade[`token_${side}`] === token ? trade[`amount_${side}`] : 0n))
        return `${side === hidden && token === 'native' ? '*' : amount} ${token}`
      })
      .toSorted()
      .join('+')
  const text = `${trades[0]?.wallet} ${sideOf('sold')} ${sideOf('bought')}`
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

/** Whether the trades of a wallet are those of an answer. */
function isEqual(trades: readonly Trade[], { digest, lower, upper }: Answer['trades'][number]): boolean {
  if (lower === undefined) return digestOf(trades) === digest
  return (['sold', 'bought'] as const).some((side) => {
    const amount = sumOf(trades, (trade) => (trade[`token_${side}`] === 'native' ? trade[`amount_${side}`] : 0n))
    const isWithin = amount >= BigInt(lower) && (upper === undefined || upper === null || amount <= BigInt(upper))
    return isWithin && digestOf(trades, side) === digest
  })
}

function judge(): Verdict[] {
  const blocks = new Map(readWholeBlocks().map(({ tx, facts }) => [tx, facts]))
  const lines = readFileSync(new URL('answers.ndjson', import.meta.url), 'utf8')
    .trim()
    .split('\n')
  return lines.map((line) => {
    const answer = answerShape.parse(JSON.parse(line))
    const name = chains[answer.chain_id] ?? String(answer.chain_id)
    const facts = answer.file === undefined ? blocks.get(answer.tx) : factsOf(answer.file, answer.tx, name).facts
    if (facts === undefined) throw new Error(`${answer.tx}: not recorded`)
    const trades = tradesOf(facts, flowsOf(facts, chainOf(name)), chainOf(name)).filter(({ kind }) => kind === 'swap')
    const byWallet = [...new Set(trades.map(({ wallet }) => wallet))].map((wallet) =>
      trades.filter((trade) => trade.wallet === wallet),
    )
    const right = answer.trades.filter((trade) => byWallet.some((mine) => isEqual(mine, trade)))
    return { answer, n_right: right.length, extra: answer.kind === 'trade' ? [] : trades }
  })
}

const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)} %`

describe.skipIf(!isRecorded)('answers to recorded transactions', () => {
  const verdicts = isRecorded ? judge() : []

  test.each(['shown', 'held'] as const)(
    'the %s half has at least 95 % of its trades, and no certain trade else',
    (half) => {
      const judged = verdicts.filter(({ answer }) => answer.half === half)
      const n_trades = sumOf(judged, ({ answer }) => BigInt(answer.trades.length))
      const n_right = sumOf(judged, ({ n_right: n }) => BigInt(n))
      const none = judged.filter(({ answer }) => answer.kind !== 'trade')
      const wrong = none.flatMap(({ extra }) => extra)
      const protocols = [...new Set(judged.flatMap(({ answer }) => (answer.kind === 'trade' ? [answer.protocol] : [])))]
      const lines = protocols.map((protocol) => {
        const mine = judged.filter(({ answer }) => answer.protocol === protocol && answer.kind === 'trade')
        return `  ${protocol} ${sumOf(mine, ({ n_right: n }) => BigInt(n))}/${sumOf(mine, ({ answer }) => BigInt(answer.trades.length))}`
      })
      const share = percent(Number(n_right), Number(n_trades))
      const head = `${half} half: ${n_right} of ${n_trades} trades (${share}); ${wrong.length} in ${none.length} others, none certain`
      console.warn([head, ...lines].join('\n'))
      expect(Number(n_right) / Number(n_trades)).toBeGreaterThanOrEqual(0.95)
      expect(none.length).toBeGreaterThan(150)
      expect(wrong.filter(({ is_certain }) => is_certain)).toEqual([])
    },
  )
})

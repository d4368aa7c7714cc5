import { readFileSync } from 'node:fs'

import { describe, expect, test } from 'vitest'

import type { Trade } from '#scoring/core/trades/flows/facts.ts'
import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'

import { isRecorded } from './files.ts'
import { chainOf, readReviewed, type Reviewed } from './reviewed.ts'

type Leg = Reviewed['sold']

/** A decimal amount as a whole number of units of 10^-decimals; undefined if it has more places. */
function unitsOf(amount: string, decimals: number): bigint | undefined {
  const text = amount.includes('e') ? Number(amount).toFixed(20) : amount
  const [whole = '0', fraction = ''] = text.split('.')
  const places = fraction.replace(/0+$/, '')
  return places.length > decimals ? undefined : BigInt(whole + places.padEnd(decimals, '0'))
}

/** The review has no decimals of tokens; an amount of many digits fits one number of them at most. */
const decimalsOf = (token: string): number[] => (token === 'native' ? [18] : Array.from({ length: 25 }, (_, n) => n))

/**
 * How one leg agrees with the review: with the leg less the fees that the review lists beside it (`net`), or with the
 * leg as it stands, where the fee was paid in the native coin and no row shows it (`gross`).
 */
function agreement(
  ours: { token: string; amount: bigint },
  leg: Leg,
  { fees, sign, refunds }: { fees: readonly Leg[]; sign: bigint; refunds: readonly Leg[] },
): 'net' | 'gross' | undefined {
  if (ours.token !== leg.token) return undefined
  for (const decimals of decimalsOf(leg.token)) {
    const sum = (legs: readonly Leg[]): bigint =>
      legs
        .filter(({ token }) => token === leg.token)
        .reduce((total, { amount }) => total + (unitsOf(amount, decimals) ?? 0n), 0n)
    const units = unitsOf(leg.amount, decimals)
    if (units === undefined) continue
    const reviewed = units - sum(refunds)
    const fee = sum(fees)
    if (ours.amount === reviewed + sign * fee) return 'net'
    if (ours.amount === reviewed || ours.amount === reviewed - sign * fee) return 'gross'
  }
  return undefined
}

function verdictOf(reviewed: Reviewed): 'net' | 'gross' | undefined {
  const chain = chainOf(reviewed.chain)
  const trades = tradesOf(reviewed.facts, flowsOf(reviewed.facts, chain), chain)
  const { sold, bought, fees, refunds } = reviewed
  for (const trade of trades) {
    if (trade.wallet !== reviewed.wallet) continue
    const down = { token: trade.token_sold, amount: trade.amount_sold }
    const up = { token: trade.token_bought, amount: trade.amount_bought }
    const of = [
      agreement(down, sold, { fees, refunds, sign: 1n }),
      agreement(up, bought, { fees, refunds: [], sign: -1n }),
    ]
    if (of.every((one) => one !== undefined)) return of.includes('gross') ? 'gross' : 'net'
  }
  return undefined
}

const percent = (part: number, all: number): string => `${((100 * part) / all).toFixed(1)} %`

describe.skipIf(!isRecorded)('reviewed trades', () => {
  const verdicts = isRecorded ? readReviewed().map((reviewed) => ({ reviewed, verdict: verdictOf(reviewed) })) : []
  const equal = verdicts.filter(({ verdict }) => verdict !== undefined)

  test('of a wallet come out with both legs in raw units, in at least 95 % of all and 80 % of each family', () => {
    const families = [...new Set(verdicts.map(({ reviewed }) => reviewed.family))].map((family) => {
      const all = verdicts.filter(({ reviewed }) => reviewed.family === family)
      return { family, n: all.length, n_equal: all.filter(({ verdict }) => verdict !== undefined).length }
    })
    const n_net = verdicts.filter(({ verdict }) => verdict === 'net').length
    const lines = families.map(({ family, n, n_equal }) => `  ${family} ${n_equal}/${n}`)
    const share = percent(equal.length, verdicts.length)
    const head = `reviewed trades: ${equal.length} of ${verdicts.length} equal (${share}), ${n_net} net of every listed fee`
    console.warn([head, ...lines].join('\n'))
    expect(verdicts.length).toBeGreaterThanOrEqual(170)
    expect(equal.length / verdicts.length).toBeGreaterThanOrEqual(0.95)
    expect(families.filter(({ n, n_equal }) => n_equal / n < 0.8)).toEqual([])
  })

  test('that differ are those of docs/wallets/evm-trades.md, with their reasons', () => {
    const page = readFileSync(new URL('../../../docs/wallets/evm-trades.md', import.meta.url), 'utf8')
    const listed = [...page.matchAll(/^\| `(0x[0-9a-f]{64})`/gm)].map(([, tx]) => tx)
    const differing = verdicts.filter(({ verdict }) => verdict === undefined).map(({ reviewed }) => reviewed.tx)
    expect(new Set(listed)).toEqual(new Set(differing))
  })

  test('come out of the movements alone where the wallet called, and what differs is a bound', () => {
    const keyOf = (trade: Trade): string =>
      [trade.wallet, trade.token_sold, trade.amount_sold, trade.token_bought, trade.amount_bought].join(' ')
    const others: string[] = []
    let [n_called, n_equal] = [0, 0]
    for (const { facts, chain, tx } of verdicts.map(({ reviewed }) => reviewed)) {
      const trades = (events: typeof facts.swaps): Trade[] => {
        const shown = { ...facts, swaps: events }
        return tradesOf(shown, flowsOf(shown, chainOf(chain)), chainOf(chain))
      }
      const isCaller = ({ wallet }: Trade): boolean =>
        wallet === facts.sender || facts.operations.some(({ sender }) => sender === wallet)
      const proved = new Set(trades(facts.swaps).filter(isCaller).map(keyOf))
      const moved = trades([])
      n_called += proved.size
      n_equal += moved.filter((trade) => proved.has(keyOf(trade))).length
      others.push(
        ...moved
          .filter((trade) => !proved.has(keyOf(trade)) && !trade.is_bound)
          .map((trade) => `${tx} ${keyOf(trade)}`),
      )
    }
    console.warn(`reviewed trades without any event: ${n_equal} of ${n_called} equal (${percent(n_equal, n_called)})`)
    expect(others).toEqual([])
    expect(n_equal / n_called).toBeGreaterThanOrEqual(0.8)
  })

  test('do not depend on the order of the rows', () => {
    for (const { reviewed } of verdicts) {
      const { facts } = reviewed
      const chain = chainOf(reviewed.chain)
      const turned = {
        ...facts,
        swaps: facts.swaps.toReversed(),
        transfers: facts.transfers.toReversed(),
        operations: facts.operations.toReversed(),
      }
      const sorted = (of: typeof facts): string[] =>
        tradesOf(of, flowsOf(of, chain), chain)
          .map(({ wallet, token_sold, token_bought, amount_sold, amount_bought }) =>
            [wallet, token_sold, amount_sold, token_bought, amount_bought].join(),
          )
          .toSorted()
      expect(sorted(turned)).toEqual(sorted(facts))
    }
  })
})

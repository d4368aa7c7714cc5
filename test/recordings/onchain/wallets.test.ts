import { describe, expect, test } from 'vitest'

import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { tradesOf } from '#scoring/core/trades/flows/trades.ts'
import { build } from '#test/scoring/core/chains/lake.ts'

import { isRecorded } from './files.ts'
import { chainOf, readReviewed, type Reviewed } from './reviewed.ts'

/** The reviewed transactions, each once, in a block of its own. */
const transactions = isRecorded
  ? [...new Map(readReviewed().map((one) => [`${one.chain} ${one.tx}`, one])).values()].map((one, block) => ({
      ...one,
      block,
    }))
  : []

type Placed = Reviewed & { block: number }
const placeOf = ({ chain, tx, block }: Placed) => ({
  chain,
  block,
  tx_index: 0,
  tx,
  ts: new Date(Date.UTC(2026, 10, 1) + block * 1_000).toISOString(),
  source: 'evm',
})

/** The lake of the transactions. */
function lakeOf(all: readonly Placed[]) {
  const chains = [...new Set(all.map(({ chain }) => chain))]
  return {
    'core.chains': chains
      .filter((chain) => chain !== 'base')
      .map((chain) => ({
        chain,
        native_symbol: 'ETH',
        native_decimals: 18,
        wrapped: chainOf(chain).wrapped,
        stables: [],
      })),
    'lake.coverage': chains
      .filter((chain) => chain !== 'base')
      .flatMap((chain) =>
        ['transactions', 'swaps', 'transfers', 'user_operations'].map((dataset) => ({
          dataset,
          unit: chain,
          part: chain,
          state: 'done',
          from_block: 0,
          to_block: 1_000_000,
          source: 'evm',
        })),
      ),
    'lake.transactions': all.map((one) => ({
      ...placeOf(one),
      sender: one.facts.sender,
      recipient: one.facts.recipient,
      amount: one.facts.amount,
      is_ok: one.facts.is_ok,
    })),
    'lake.swaps': all.flatMap((one) => one.facts.swaps.map((row) => ({ ...row, ...placeOf(one) }))),
    'lake.transfers': all.flatMap((one) => one.facts.transfers.map((row) => ({ ...row, ...placeOf(one) }))),
    'lake.user_operations': all.flatMap((one) => one.facts.operations.map((row) => ({ ...row, ...placeOf(one) }))),
  }
}

/** EURe on Gnosis has two contracts over one ledger; the movements of this one repeat those of the other. */
const repeated = '0xcb444e90d8198415266c6a2724b7900fb12fc56e'

const keyOf = (row: Record<string, unknown>): string =>
  ['chain', 'wallet', 'token'].map((name) => String(row[name])).join(' ')

describe.skipIf(!isRecorded)('recorded wallets', () => {
  // The helper's own chain `base` has another wrapped coin, so transactions on the real one are left out.
  const all = transactions.filter(({ chain }) => chain !== 'base')

  test('have the trades of the rule, and lots that add up to what their tokens moved', async () => {
    const found = await build(['core.trade_legs', 'core.trades', 'core.lots', 'core.unmatched'], lakeOf(all))
    const legs = all.flatMap(({ facts, chain, tx }) =>
      tradesOf(facts, flowsOf(facts, chainOf(chain)), chainOf(chain)).map(
        ({ wallet, token_sold, amount_sold, token_bought, amount_bought }) =>
          [chain, tx, wallet, token_sold, amount_sold, token_bought, amount_bought].join(' '),
      ),
    )
    const shown = found['core.trade_legs'].map((row) =>
      ['chain', 'tx', 'wallet', 'token_sold', 'amount_sold', 'token_bought', 'amount_bought']
        .map((name) => String(row[name]))
        .join(' '),
    )
    expect(shown.toSorted()).toEqual(legs.toSorted())
    expect(shown.length).toBeGreaterThan(120)

    const held = new Map<string, bigint>()
    for (const row of found['core.lots'])
      held.set(keyOf(row), (held.get(keyOf(row)) ?? 0n) + BigInt(String(row['amount_left'])))
    for (const row of found['core.unmatched'])
      held.set(keyOf(row), (held.get(keyOf(row)) ?? 0n) - BigInt(String(row['amount'])))
    // The net of the Transfer events themselves. Rows of the native coin are partly inferred.
    const moved = new Map<string, bigint>()
    for (const { chain, facts } of all) {
      for (const { kind, token, sender, recipient, amount } of facts.is_ok ? facts.transfers : []) {
        if (kind !== 'transfer' || token === chainOf(chain).wrapped) continue
        for (const [wallet, sign] of [
          [sender, -1n],
          [recipient, 1n],
        ] as const) {
          const key = keyOf({ chain, wallet, token })
          moved.set(key, (moved.get(key) ?? 0n) + sign * amount)
        }
      }
    }
    const traders = new Set(found['core.trades'].map(({ chain, wallet }) => `${String(chain)} ${String(wallet)}`))
    const keys = [...new Set([...held.keys(), ...moved.keys()])].filter((key) => {
      const [chain = '', wallet = '', token] = key.split(' ')
      return token !== 'native' && token !== repeated && traders.has(`${chain} ${wallet}`)
    })
    const differing = keys.filter((key) => (held.get(key) ?? 0n) !== (moved.get(key) ?? 0n))
    console.warn(`recorded wallets: ${keys.length} balances, ${differing.length} differ`)
    expect(keys.length).toBeGreaterThan(200)
    expect(differing).toEqual([])
  })
})

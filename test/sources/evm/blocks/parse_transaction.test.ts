import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { toRows } from '#lake/units/column_batch.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'
import { decoders } from '#sources/evm/decode/decode_log.ts'
import { someLog } from '#test/sources/evm/decode/abi.ts'

const hash = `0x${'ab'.repeat(32)}`
const sender = `0x${'1'.repeat(40)}`
const transaction = { hash, from: sender, to: `0x${'2'.repeat(40)}`, value: '0x10', nonce: '0x3', gasPrice: '0x7' }
const receipt = {
  transactionHash: hash,
  blockNumber: '0x64',
  transactionIndex: '0x5',
  status: '0x1',
  gasUsed: '0x5208',
  effectiveGasPrice: '0x2',
  logs: [] as unknown[],
}
const at = { chain: 'ethereum', ts: 1_700_000_000_000_000 }

function collect(...bodies: { transaction: unknown; receipt: unknown }[]) {
  const collection = openSwapBatch(new Set())
  for (const body of bodies) collection.addTransaction(at, body)
  const rows = collection.rows()
  return {
    transactions: toRows(rows.transactions),
    swaps: toRows(rows.swaps),
    transfers: toRows(rows.transfers),
    pools: toRows(rows.pools),
    rejected: collection.rejected,
  }
}

describe('a transaction', () => {
  test('has its fee with that of the rollup, and the value sent', () => {
    const { transactions } = collect({ transaction, receipt: { ...receipt, l1Fee: '0x64' } })
    expect(transactions).toEqual([
      {
        chain: 'ethereum',
        block: 100,
        tx_index: 5,
        tx: hash,
        ts: at.ts,
        sender,
        recipient: transaction.to,
        amount: 16n,
        nonce: 3,
        is_ok: true,
        gas_used: 21_000,
        amount_fee: 42_100n,
        amount_l1_fee: 100n,
      },
    ])
  })

  test('before London and Byzantium has the price of its own, and no status', () => {
    const old = { ...receipt, effectiveGasPrice: undefined, status: undefined }
    expect(collect({ transaction, receipt: old }).transactions).toMatchObject([{ is_ok: true, amount_fee: 147_000n }])
  })

  test.each([
    ['without a receipt', { transaction, receipt: null }, 'receipt'],
    [
      'with the receipt of another',
      { transaction: { ...transaction, hash: `0x${'cd'.repeat(32)}` }, receipt },
      'receipt',
    ],
    ['with a value that is no number', { transaction: { ...transaction, value: 'much' }, receipt }, 'value'],
  ])('%s is rejected with the reason', (_, body, reason) => {
    const { transactions, rejected } = collect(body)
    expect(transactions).toEqual([])
    expect(rejected).toEqual([
      expect.objectContaining({ dataset: 'transactions', reason: expect.stringContaining(reason) }),
    ])
  })

  test('keeps its other logs if one is no log', () => {
    const log = { address: sender, topics: [], data: '0x', logIndex: '0x1' }
    const bodies = [
      null,
      7,
      { ...log, data: 1 },
      { ...log, logIndex: 'x' },
      { ...log, topics: ['0x1'] },
      { ...log, data: 'zz' },
    ]
    const { rejected, transactions } = collect({ transaction, receipt: { ...receipt, logs: [...bodies, log] } })
    expect(transactions).toHaveLength(1)
    expect(rejected.map(({ reason }) => reason)).toEqual(bodies.map(() => 'log: no hex'))
  })
})

const anyLogs = fc
  .array(fc.oneof(...decoders.map(({ event }) => someLog(event))), { maxLength: 12 })
  .map((logs) => logs.map(({ log }, n) => ({ ...log, logIndex: `0x${n.toString(16)}` })))

test('rows do not depend on the order of logs, on pages read twice or on the case of hex', () => {
  const byIndex = (rows: readonly Record<string, unknown>[]) =>
    rows.toSorted((a, b) => Number(a['log_index']) - Number(b['log_index']))
  fc.assert(
    fc.property(
      anyLogs.chain((logs) =>
        fc.tuple(fc.constant(logs), fc.shuffledSubarray([...logs, ...logs], { minLength: 2 * logs.length })),
      ),
      ([logs, shuffled]) => {
        const upper = shuffled.map((log) => ({ ...log, address: `0x${log.address.slice(2).toUpperCase()}` }))
        const once = collect({ transaction, receipt: { ...receipt, logs } })
        const again = collect({ transaction, receipt: { ...receipt, logs: upper } })
        for (const dataset of ['swaps', 'transfers'] as const)
          expect(byIndex(again[dataset])).toEqual(byIndex(once[dataset]))
        expect(again.rejected).toHaveLength(once.rejected.length)
      },
    ),
    { numRuns: 50 },
  )
})

import { describe, expect, test } from 'vitest'

import { bloomOf } from '#sources/evm/rpc/bloom.ts'
import { proofOf } from '#sources/evm/rpc/proof.ts'
import { receiptsRootOf } from '#sources/evm/rpc/receipts_root.ts'
import { receiptShape, type Header, type Receipt } from '#sources/evm/rpc/shapes.ts'

import { blockHash, chainOf, swap, wireReceipts } from './fake_chain.ts'

const block = 1
const alike = { address: `0x${'a'.repeat(40)}`, topics: [swap], data: `0x${'00'.repeat(32)}` }
/** A block whose last two logs are alike, as two swaps of one pool are. */
const chain = [...chainOf([1]), [...(chainOf([0, 4])[1] ?? []), alike, alike]]
const receipts: Receipt[] = wireReceipts(chain, block).map((receipt, n) =>
  receiptShape.parse({ ...receipt, type: '0x2', cumulativeGasUsed: `0x${(21_000 * (n + 1)).toString(16)}` }),
)
const logsOf = (all: readonly Receipt[]) => all.flatMap(({ logs }) => logs)
const header: Header = {
  block,
  hash: blockHash(block),
  parent_hash: blockHash(0),
  time_s: 0,
  bloom: bloomOf(logsOf(receipts)),
  receipts_root: receiptsRootOf(receipts) ?? null,
  n_transactions: receipts.length,
}
/** The receipts without the log of an index. */
const without = (index: number): Receipt[] =>
  receipts.map((receipt) => ({ ...receipt, logs: receipt.logs.filter(({ log_index }) => log_index !== index) }))

describe('the receipts of a block', () => {
  const last = logsOf(receipts).length - 1

  test('that lack its last log have its filter if another log is alike, and never its root', () => {
    const thin = without(last)
    expect(proofOf(header, thin)).toBe('filter')
    expect(() => proofOf(header, thin, true)).toThrow(`block ${block}: its receipts do not agree with its header`)
    expect(proofOf(header, receipts, true)).toBe('root')
  })

  test('that lack any other log are refused, since an index is missing', () => {
    for (let index = 0; index < last; index++)
      expect(() => proofOf(header, without(index))).toThrow('do not agree with its header')
  })
})

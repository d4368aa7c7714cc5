import { z } from 'zod'

import { toRows } from '#lake/units/column_batch.ts'
import type { OperationFact, SwapFact, TransactionFacts, TransferFact } from '#scoring/core/trades/flows/facts.ts'
import type { RawTransaction } from '#sources/evm/blocks/raw_block.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'

import { readJson, readLines, readText } from './files.ts'

/** A transaction of a recorded block, as rows. Its internal transfers are there if the block has traces. */
export type BlockTransaction = { chain: string; tx: string; facts: TransactionFacts; hasTraces: boolean }

type Call = { sender: string; recipient: string; amount: bigint }

/** All transactions of the recorded whole blocks that have receipts and values. */
export const readWholeBlocks = (): BlockTransaction[] => [...plainBlocks(), ...tracedBlocks(), ...lineBlocks()]

/** The rows of a transaction, decoded from its raw receipt; undefined if it does not parse. */
function factsOf(mined: RawTransaction, calls?: readonly Call[]): { tx: string; facts: TransactionFacts } | undefined {
  const batch = openSwapBatch(new Set())
  batch.addTransaction({ chain: 'recorded', ts: 0 }, mined)
  const { transactions, swaps, transfers, user_operations } = batch.rows()
  const [transaction] = toRows(transactions)
  if (transaction === undefined) return undefined
  const internals = (calls ?? []).map((call, n) => ({ log_index: -1 - n, kind: 'internal', token: 'native', ...call }))
  const facts = {
    ...(transaction as Pick<TransactionFacts, 'sender' | 'recipient' | 'amount' | 'is_ok'>),
    is_traced: calls !== undefined,
    swaps: toRows(swaps) as SwapFact[],
    transfers: [...(toRows(transfers) as TransferFact[]), ...internals],
    operations: toRows(user_operations) as OperationFact[],
  }
  return { tx: String(transaction['tx']), facts }
}

const hash = z.looseObject({ hash: z.string() })
const receiptOf = z.looseObject({ transactionHash: z.string() })

/** Blocks as JSON-RPC returns them. */
function plainBlocks(): BlockTransaction[] {
  const folder = 'subsquid__squid-sdk/evm/evm-rpc/test/fixtures'
  const resultOf = (path: string): unknown => {
    const body = readJson(path) as { result?: unknown }
    return body.result ?? body
  }
  return ['ethereum/18500000', 'polygon/50000000', 'arbitrum/150000000', 'cronos/11446765'].flatMap((block) => {
    const { transactions } = z
      .looseObject({ transactions: z.array(hash) })
      .parse(resultOf(`${folder}/${block}/block.json`))
    const receipts = new Map(
      z
        .array(receiptOf)
        .parse(resultOf(`${folder}/${block}/receipts.json`))
        .map((receipt) => [receipt.transactionHash, receipt]),
    )
    const chain = block.split('/')[0] ?? ''
    return transactions.flatMap((transaction) => {
      const row = factsOf({ transaction, receipt: receipts.get(transaction.hash) })
      return row === undefined ? [] : [{ chain, ...row, hasTraces: false }]
    })
  })
}

const hex = (value: unknown): string => `0x${BigInt(String(value)).toString(16)}`

const trace = z.looseObject({
  type: z.string(),
  callType: z.string().optional(),
  from: z.string().optional(),
  to: z.string().optional(),
  value: z.string().optional(),
  error: z.string().optional(),
  traceAddress: z.array(z.string()).optional(),
})
const numbers = [
  'blockNumber',
  'nonce',
  'gasPrice',
  'effectiveGasPrice',
  'type',
  'depositNonce',
  'transactionIndex',
  'logIndex',
  'gasUsed',
  'cumulativeGasUsed',
  'status',
  'index',
] as const
const tracedBlock = z.looseObject({
  ethereum: z.looseObject({
    transactions: z.array(
      z.looseObject({
        hash: z.string(),
        from: z.string(),
        to: z.string().optional(),
        value: z.string(),
        receipt: z.looseObject({ logs: z.array(z.looseObject({})).optional() }),
        flattenedTraces: z.array(trace).optional(),
      }),
    ),
  }),
})

/** Numbers of a record as JSON-RPC has them. */
const inHex = (row: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      numbers.some((number) => number === name) && typeof value === 'string' ? hex(value) : value,
    ]),
  )

/** Blocks with traces, whose numbers are decimals. */
function tracedBlocks(): BlockTransaction[] {
  const folder = 'coinbase__chainstorage/internal/utils/fixtures/parser'
  const blocks = [
    'ethereum/native_block_14000000',
    'ethereum/native_block_17000000',
    'ethereum/native_block_17300000',
    'polygon/native_block_43200000',
    'optimism/mainnet/native_block_107353722',
  ]
  return blocks.flatMap((block) => {
    const { ethereum } = tracedBlock.parse(readJson(`${folder}/${block}.json`))
    return ethereum.transactions.flatMap(({ receipt, flattenedTraces = [], value, ...transaction }) => {
      const logs = (receipt.logs ?? []).map((log) => ({ topics: [], data: '0x', ...inHex(log) }))
      const body = {
        transaction: { ...inHex(transaction), to: transaction.to ?? null, value: hex(value) },
        receipt: { ...inHex(receipt), logs },
      }
      const row = factsOf(body, callsOf(flattenedTraces))
      return row === undefined ? [] : [{ chain: block.split('/')[0] ?? '', ...row, hasTraces: true }]
    })
  })
}

/** The calls that moved the native coin, but the transaction itself, which comes first. */
const callsOf = (traces: readonly z.infer<typeof trace>[]): Call[] =>
  traces.slice(1).flatMap(({ type, callType, from, to, value = '0', error }) => {
    const isDelegated = [type, callType].some((kind) => /^(delegatecall|staticcall|callcode)$/i.test(kind ?? ''))
    if (isDelegated || value === '0' || value === '' || error !== undefined || from === undefined || to === undefined)
      return []
    return [{ sender: from.toLowerCase(), recipient: to.toLowerCase(), amount: BigInt(value) }]
  })

const line = z.looseObject({
  hash: z.string(),
  transaction_index: z.number(),
  block_number: z.number(),
  block_hash: z.string(),
  from_address: z.string(),
  to_address: z.string().nullable(),
  value: z.string(),
  receipt_status: z.number(),
  receipt_gas_used: z.number(),
  receipt_effective_gas_price: z.number(),
})
const logLine = z.looseObject({ transaction_hash: z.string(), log_index: z.number() })

/** Two consecutive blocks as lines of another exporter. */
function lineBlocks(): BlockTransaction[] {
  const folder = 'blockchain-etl__ethereum-etl/tests/resources/test_stream/blocks_17173049_17173050'
  const logs = new Map<string, z.infer<typeof logLine>[]>()
  for (const item of readLines(`${folder}/expected_logs.json`)) {
    const log = logLine.parse(item)
    logs.set(log.transaction_hash, [...(logs.get(log.transaction_hash) ?? []), log])
  }
  // Values are larger than the numbers of JSON.
  const lines = readText(`${folder}/expected_transactions.json`).trim().split('\n')
  return lines.flatMap((text) => {
    const row = line.parse(JSON.parse(text.replace(/"value": (\d+)/, '"value": "$1"')))
    const place = {
      transactionHash: row.hash,
      transactionIndex: hex(row.transaction_index),
      blockNumber: hex(row.block_number),
      blockHash: row.block_hash,
    }
    const facts = factsOf({
      transaction: { hash: row.hash, from: row.from_address, to: row.to_address, value: hex(row.value), ...place },
      receipt: {
        ...place,
        status: hex(row.receipt_status),
        gasUsed: hex(row.receipt_gas_used),
        effectiveGasPrice: hex(row.receipt_effective_gas_price),
        logs: (logs.get(row.hash) ?? []).map((log) => ({ ...log, ...place, logIndex: hex(log.log_index) })),
      },
    })
    return facts === undefined ? [] : [{ chain: 'ethereum', ...facts, hasTraces: false }]
  })
}

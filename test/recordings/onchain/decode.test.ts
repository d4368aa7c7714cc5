import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { toRows } from '#lake/units/column_batch.ts'
import { parseLog } from '#sources/evm/blocks/parse_transaction.ts'
import { openSwapBatch, type SwapBatch } from '#sources/evm/blocks/swap_batch.ts'

import { isRecorded, readCsv, readJson, readLines, readText } from './files.ts'
import { readReviewed } from './reviewed.ts'

const poolDay =
  'zelos-alpha__demeter-fetch/tests/samples/ethereum-0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640-2024-01-05'
const twoBlocks = 'blockchain-etl__ethereum-etl/tests/resources/test_stream/blocks_17173049_17173050'
const chainFixtures = 'subsquid__squid-sdk/evm/evm-rpc/test/fixtures'

/** The number of rows of each family, and of rejected rows. */
function countsOf(collection: SwapBatch): Record<string, number> {
  const { swaps, transfers, user_operations } = collection.rows()
  const counts: Record<string, number> = {}
  const count = (name: unknown): void => {
    counts[String(name)] = (counts[String(name)] ?? 0) + 1
  }
  for (const { family } of toRows(swaps)) count(family)
  for (const { kind } of toRows(transfers)) count(kind)
  if (user_operations.n_rows > 0) counts['user_operations'] = user_operations.n_rows
  if (collection.rejected.length > 0) counts['rejected'] = collection.rejected.length
  return counts
}

const block = z.object({ transactions: z.array(z.looseObject({ hash: z.string() })) })
const results = z.union([z.object({ result: z.unknown() }).transform(({ result }) => result), z.unknown()])

/** A whole block with its receipts. */
function collectBlock(folder: string): SwapBatch {
  const { transactions } = block.parse(results.parse(readJson(`${folder}/block.json`)))
  const receipts = z
    .array(z.looseObject({ transactionHash: z.string() }))
    .parse(results.parse(readJson(`${folder}/receipts.json`)))
  const collection = openSwapBatch(new Set())
  for (const receipt of receipts) {
    const transaction = transactions.find(({ hash }) => hash === receipt.transactionHash)
    collection.addTransaction({ chain: 'recorded', ts: 0 }, { transaction, receipt })
  }
  return collection
}

/** Logs alone, as `eth_getLogs` returns them. */
function collectLogs(logs: readonly { body: unknown; block: number; tx: string }[]): SwapBatch {
  const collection = openSwapBatch(new Set())
  for (const { body, block: number, tx } of logs) {
    const log = parseLog(body)
    if (log === undefined) throw new Error(`${tx}: a recorded log does not parse`)
    collection.addLog(log, { chain: 'recorded', block: number, tx_index: 0, tx, log_index: log.log_index, ts: 0 })
  }
  return collection
}

const hexIndex = (value: unknown): string => `0x${Number(value).toString(16)}`

describe.skipIf(!isRecorded)('recorded chains', () => {
  test('all 6,046 swaps of a day of a pool equal the decode of another tool', () => {
    const raw = readCsv(`${poolDay}.raw.csv`).map((row) => ({
      block: Number(row['block_number']),
      tx: row['transaction_hash'] ?? '',
      body: {
        address: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
        topics: JSON.parse((row['topics'] ?? '').replaceAll("'", '"')),
        data: row['data'],
        logIndex: hexIndex(row['log_index']),
      },
    }))
    const collection = collectLogs(raw)
    const ours = toRows(collection.rows().swaps).map((row) =>
      [
        row['block'],
        row['tx'],
        row['log_index'],
        row['sender'],
        row['recipient'],
        row['amount0'],
        row['amount1'],
        row['sqrt_price'],
        row['liquidity'],
      ].join(),
    )
    const theirs = readCsv(`${poolDay}.tick.csv`)
      .filter((row) => row['tx_type'] === 'SWAP')
      .map((row) =>
        [
          'block_number',
          'transaction_hash',
          'pool_log_index',
          'sender',
          'receipt',
          'amount0',
          'amount1',
          'sqrtPriceX96',
          'total_liquidity',
        ]
          .map((name) => row[name])
          .join(),
      )
    expect(theirs).toHaveLength(6_046)
    expect(ours.toSorted()).toEqual(theirs.toSorted())
    expect(collection.rejected).toEqual([])
  })

  test('the token transfers of two whole blocks equal those of another tool', () => {
    const log = z.looseObject({ block_number: z.number(), transaction_hash: z.string(), log_index: z.number() })
    const logs = readLines(`${twoBlocks}/expected_logs.json`).map((line) => log.parse(line))
    const collection = collectLogs(
      logs.map((one) => ({
        block: one.block_number,
        tx: one.transaction_hash,
        body: { ...one, logIndex: hexIndex(one.log_index) },
      })),
    )
    const transfer = z.object({
      token_address: z.string(),
      from_address: z.string(),
      to_address: z.string(),
      transaction_hash: z.string(),
      log_index: z.number(),
      value: z.string(),
    })
    // Amounts are larger than the numbers of JSON.
    const lines = readText(`${twoBlocks}/expected_token_transfers.json`)
      .trim()
      .split('\n')
      .map((line) => transfer.parse(JSON.parse(line.replace(/"value": (\d+)/, '"value": "$1"'))))
    // Their exporter lists ERC-721 as well, whose logs have another topic in place of the amount.
    const isErc20 = new Set(
      logs
        .filter(({ topics }) => Array.isArray(topics) && topics.length === 3)
        .map((one) => one.log_index + one.transaction_hash),
    )
    const theirs = lines
      .filter((line) => isErc20.has(line.log_index + line.transaction_hash))
      .map((line) =>
        [
          line.transaction_hash,
          line.log_index,
          line.token_address,
          line.from_address,
          line.to_address,
          line.value,
        ].join(),
      )
    const ours = toRows(collection.rows().transfers)
      .filter(({ kind }) => kind === 'transfer')
      .map((row) => [row['tx'], row['log_index'], row['token'], row['sender'], row['recipient'], row['amount']].join())
    expect(lines).toHaveLength(291)
    expect(ours.toSorted()).toEqual(theirs.toSorted())
    expect(countsOf(collection)).toMatchObject({ uniswap_v2: 69, uniswap_v3: 10 })
  })

  test.each([
    ['ethereum/18500000', { uniswap_v2: 34, uniswap_v3: 22 }],
    ['polygon/50000000', { uniswap_v3: 4, user_operations: 1 }],
    ['ethereum/1000000', {}],
    ['ethereum/4369999', {}],
    ['arbitrum/150000000', {}],
  ])('the block %s has as many swaps as its topics', (folder, counts) => {
    expect(countsOf(collectBlock(`${chainFixtures}/${folder}`))).toMatchObject(counts)
  })

  test('a block after the launch of Uniswap V4 has its swaps, with both signs turned', () => {
    const receipts = z
      .array(z.looseObject({ transactionHash: z.string(), from: z.string(), to: z.string().nullable() }))
      .parse(readJson('a16z__helios/tests/testdata/rpc/receipts.json'))
    const collection = openSwapBatch(new Set())
    for (const receipt of receipts) {
      const transaction = { hash: receipt.transactionHash, from: receipt.from, to: receipt.to, value: '0x0' }
      collection.addTransaction({ chain: 'ethereum', ts: 0 }, { transaction, receipt })
    }
    expect(countsOf(collection)).toMatchObject({ uniswap_v2: 24, uniswap_v3: 13, uniswap_v4: 2, zerox: 1 })
  })

  test('what events name moves in their transactions, and into or out of the pool by its sign', () => {
    const byTx = new Map(readReviewed().map(({ tx, facts }) => [tx, facts]))
    const sides: { family: string; isMoved: boolean; isTurned: boolean }[] = []
    for (const { amount, swaps, transfers } of byTx.values())
      for (const { family, pool, amount0, amount1 } of swaps)
        for (const signed of [amount0, amount1]) {
          if (signed === null || signed === 0n) continue
          const size = signed < 0n ? -signed : signed
          const equal = transfers.filter((transfer) => transfer.amount === size)
          const isParty = ({ sender, recipient }: { sender: string; recipient: string }) =>
            pool !== null && (sender === pool || recipient === pool)
          const isAsSigned = equal.some(({ sender, recipient }) => pool === (signed > 0n ? recipient : sender))
          const isMoved = equal.length > 0 || size === amount
          sides.push({ family, isMoved, isTurned: equal.some(isParty) && !isAsSigned })
        }
    expect(sides.filter(({ isTurned }) => isTurned)).toEqual([])
    // The vaults of Uniswap V4 and Balancer move what is left of several swaps, and some tokens keep a part.
    expect(sides.filter(({ isMoved }) => isMoved).length / sides.length).toBeGreaterThan(0.9)
    const moved = new Set(sides.filter(({ isMoved }) => isMoved).map(({ family }) => family))
    expect(sides.filter(({ family }) => !moved.has(family))).toEqual([])
    expect(moved.size).toBeGreaterThanOrEqual(29)
  })
})

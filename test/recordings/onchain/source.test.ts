import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { parseConfig } from '#config.ts'
import { ingestUnits } from '#ingest/batch.ts'
import { createHttp } from '#ingest/http/http.ts'
import { reparse } from '#ingest/reparse.ts'
import { unitOf } from '#ingest/units.ts'
import type { Lake } from '#lake/lake.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { evmSwapsOf } from '#sources/evm/evm_swaps.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { newLake, noon } from '#test/lake/fixture.ts'

import { isRecorded, readCsv } from './files.ts'
import { poolDay, poolDayMined } from './pool_day.ts'
import { blocksOf, replayRpc, type Mined } from './replay_rpc.ts'
import { readReviewed } from './reviewed.ts'

/** Reads the units of recorded transactions of a chain into a lake, from a node that has them alone. */
async function readInto(lake: Lake, slug: string, mined: readonly Mined[]): Promise<void> {
  const chain = findChain(slug)
  let now_ms = 0
  const timers = { now_ms: () => now_ms, sleep: async (ms: number) => void (now_ms += ms) }
  const source = evmSwapsOf(createRpcMemory(timers))
  const variable = `RPC_${slug.toUpperCase().replaceAll('-', '_')}`
  const { hosts, sources } = parseConfig({ [variable]: 'http://127.0.0.1:1' }, [source])
  const answer = replayRpc(chain.id ?? 0, mined)
  const fetch = async (_: unknown, init?: RequestInit) => new Response(answer(z.string().parse(init?.body)))
  const http = createHttp({ hosts, random: () => 0, ...timers, fetch })
  const { unit_blocks } = chain
  const starts = new Set(blocksOf(mined).map((block) => block - (block % unit_blocks)))
  const units = [...starts].map((from) =>
    unitOf({ name: source.name, unit: 'blocks', part: slug }, { from, to: from + unit_blocks }),
  )
  const tally = await ingestUnits(
    { lake, http, keepRaw: true, concurrency: 4 },
    () => sources[0] ?? source,
    units,
    noon,
  )
  expect(tally).toMatchObject({ units: units.length, failed: 0, quarantined: 0 })
}

const rowShape = z.looseObject({ tx: z.string() })
type Rows = Map<string, z.output<typeof rowShape>[]>

/** The rows of a dataset by transaction, in the order of their logs. */
async function rowsByTx(lake: Lake, dataset: string): Promise<Rows> {
  const rows = await lake.read(({ query }) => query(`select * from lake.${dataset} order by all`, rowShape))
  const byTx: Rows = new Map()
  for (const row of rows) byTx.set(row.tx, [...(byTx.get(row.tx) ?? []), row])
  return byTx
}

const slugs: Record<string, string> = {
  arbitrum_one: 'arbitrum',
  polygon_pos: 'polygon',
  binance_sc: 'bsc',
  hyperliquid: findChain('999').slug,
}

describe.skipIf(!isRecorded)('recorded chains through the source', () => {
  test('all 6,046 swaps of a day of a pool equal the decode of another tool', async () => {
    const lake = await newLake()
    await readInto(lake, 'ethereum', poolDayMined())
    const ours = [...(await rowsByTx(lake, 'swaps')).values()]
      .flat()
      .map((row) =>
        [
          row['block'],
          row.tx,
          row['log_index'],
          row['sender'],
          row['recipient'],
          row['amount0'],
          row['amount1'],
          row['sqrt_price'],
          row['liquidity'],
        ].join(),
      )
    const names = 'block_number,transaction_hash,pool_log_index,sender,receipt,amount0,amount1,sqrtPriceX96'.split(',')
    const theirs = readCsv(`${poolDay}.tick.csv`)
      .filter((row) => row['tx_type'] === 'SWAP')
      .map((row) => [...names, 'total_liquidity'].map((name) => row[name]).join())
    expect(ours).toHaveLength(6_046)
    expect(ours.toSorted()).toEqual(theirs.toSorted())
  })

  test('the transactions of the reviewed trades have the rows from which their trades follow', async () => {
    const lake = await newLake()
    const reviewed = readReviewed()
    for (const chain of new Set(reviewed.map((trade) => trade.chain))) {
      const ofChain = reviewed.filter((trade) => trade.chain === chain)
      const mined = new Map(ofChain.map((trade) => [trade.tx, trade.mined]))
      await readInto(lake, slugs[chain] ?? chain, [...mined.values()])
    }
    const tables = async () => ({
      transactions: await rowsByTx(lake, 'transactions'),
      swaps: await rowsByTx(lake, 'swaps'),
      transfers: await rowsByTx(lake, 'transfers'),
      operations: await rowsByTx(lake, 'user_operations'),
    })
    const stored = await tables()
    // A transaction without a swap or fill event has no trade, and is not read.
    const withSwap = reviewed.filter(({ facts }) => facts.swaps.length > 0)
    expect(withSwap.length).toBeGreaterThanOrEqual(165)
    for (const { tx, facts } of withSwap) {
      expect(stored.transactions.get(tx)).toMatchObject([
        { sender: facts.sender, recipient: facts.recipient, is_ok: facts.is_ok },
      ])
      expect(String(stored.transactions.get(tx)?.[0]?.['amount'])).toBe(String(facts.amount))
      // Movements without a log were recorded from another service.
      const logged = facts.transfers.filter(({ log_index }) => log_index >= 0)
      expect(textOf(stored.swaps.get(tx))).toEqual(textOf(facts.swaps))
      expect(textOf(stored.transfers.get(tx))).toEqual(textOf(logged))
      expect(textOf(stored.operations.get(tx))).toEqual(textOf(facts.operations))
    }
    const source = evmSwapsOf(createRpcMemory({ now_ms: () => 0, sleep: async () => undefined }))
    expect(await reparse(lake, source, () => undefined)).toMatchObject({ failed: [] })
    expect(await tables()).toEqual(stored)
  })
})

/** The text of each row without its place, in the order of the logs. */
const textOf = (rows: readonly Record<string, unknown>[] = []): string[] =>
  rows
    .toSorted((a, b) => Number(a['log_index']) - Number(b['log_index']))
    .map(({ chain: _, source: __, ts: ___, seen_at: ____, ...row }) =>
      Object.entries(row)
        .toSorted(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, value]) => `${name}=${String(value)}`)
        .join(' '),
    )

import { expect, test } from 'vitest'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { newLake, noon, storeRows } from '#test/lake/fixture.ts'

const extremes = [0n, 1n, -1n, 2n ** 256n - 1n, -(2n ** 255n), 10n ** 38n, -(10n ** 40n), 2n ** 64n]

const transfersOf = (block: number, n_rows: number) =>
  Array.from({ length: n_rows }, (_, n) => ({
    chain: 'ethereum',
    block,
    tx_index: 0,
    tx: '0x1',
    log_index: n,
    ts: noon,
    kind: 'transfer',
    token: '0xa',
    sender: '0xb',
    recipient: '0xc',
    amount: (extremes[n % extremes.length] ?? 0n) + BigInt(n),
  }))
type Transfers = ReturnType<typeof transfersOf>

const unitOf = (first: number): Unit => ({
  source: 'evm_swaps',
  kind: 'blocks',
  part: 'ethereum',
  key: '',
  from: first,
  to: first + 10,
  params: [],
})

const columnsOf = (rows: Transfers) => ({
  n_rows: rows.length,
  columns: Object.fromEntries(Object.keys(rows[0] ?? {}).map((name) => [name, rows.map((row) => Object(row)[name])])),
})

const stateOf = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select typeof(any_value(amount)) as type, sum(amount)::varchar as total,
         list(amount::varchar order by block, log_index) as amounts from lake.transfers`,
      z.object({ type: z.string(), total: z.string(), amounts: z.array(z.string()) }),
    ),
  )

test('amounts of any size are exact in small and large files, as rows and as columns, and after a merge', async () => {
  const lake = await newLake()
  const [few, many, batch] = [transfersOf(1, 9), transfersOf(11, 700), transfersOf(21, 900)]
  await storeRows(lake, unitOf(0), { transfers: few }, { to: 10 })
  await storeRows(lake, unitOf(10), { transfers: many }, { to: 20 })
  await storeRows(lake, unitOf(20), { transfers: columnsOf(batch) }, { to: 30 })
  const amounts = [...few, ...many, ...batch].map((row) => row.amount)
  const total = amounts.reduce((sum, one) => sum + one, 0n)
  const expected = [{ type: 'BIGNUM', total: String(total), amounts: amounts.map(String) }]
  expect(await stateOf(lake)).toEqual(expected)
  expect((await mergeAll(lake)).n_files).toBe(3)
  expect(await stateOf(lake)).toEqual(expected)
})

import { readdir } from 'node:fs/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { buildMarts, type Built } from '#builder/build.ts'
import { parseColumns } from '#builder/columns.ts'
import { parseModel } from '#builder/load.ts'
import type { FoldModel, Model } from '#builder/model.ts'
import type { BuildSettings } from '#builder/prepare.ts'
import type { Lake } from '#lake/lake.ts'
import { mergeAll } from '#test/lake/compaction/merge_all.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const seen = parseModel(
  'staging',
  'seen',
  `-- A quote as of the clock.
-- columns: market_id, ts; bid, amount
select market_id, ts, bid, (bid * 1000000)::bigint::bignum as amount from lake.quotes
where ts <= (select as_of from core.clock)`,
)
/** Numbers the quotes of a market in their order. */
const numbering: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'numbering',
  doc: 'A fold.',
  sql: 'select market_id, ts from staging.seen order by market_id, ts',
  outputs: { numbering_rows: parseColumns('market_id, ts; ordinal') },
  fold: async (chunks, emit) => {
    let last: unknown
    let ordinal = 0
    for await (const chunk of chunks) {
      const [markets = [], instants = []] = chunk.getColumns()
      const ordinals = markets.map((market) => {
        ordinal = market === last ? ordinal + 1 : 0
        last = market
        return ordinal
      })
      emit('numbering_rows', [markets, instants, ordinals])
    }
  },
}
const bids = parseModel(
  'marts',
  'bids',
  `-- A market and its bids.
-- columns: market_id; n_bids, top_price? DECIMAL(9,6), amount, last_ordinal INTEGER
select s.market_id, count(*) as n_bids, max(s.bid) as top_price, sum(s.amount) as amount, max(n.ordinal) as last_ordinal
from staging.seen s join core.numbering_rows n using (market_id, ts) group by s.market_id -- the order is the key's`,
)
const models: Model[] = [bids, numbering, seen]

const settings = (more: Partial<BuildSettings> = {}): BuildSettings => ({
  models,
  asOf: noon,
  threads: 1,
  memory: '512MB',
  now: () => noon + 60_000_000,
  ...more,
})

const quotesOf = (part: number) =>
  Array.from({ length: 4_000 }, (_, n) =>
    quote(`m${n % 37}`, noon - (n * 5 + part) * 1_000_000, { bid: BigInt((n * 7_919) % 1_000_000) }),
  )

/** A lake of three units, stored in an order, each with its rows from the first or from the last. */
async function lakeOf(parts: readonly number[], isReversed: boolean, threads = 1): Promise<Lake> {
  const lake = await newLake({ threads })
  for (const part of parts) {
    const rows = quotesOf(part)
    await storeRows(lake, lifeOf(`0x${part}`), { quotes: isReversed ? rows.toReversed() : rows })
  }
  return lake
}

const hashes = ({ tables }: Built) => tables.map(({ name, n_rows, content_hash }) => [name, n_rows, content_hash])

async function tableOf(file: string, sql: string): Promise<unknown[]> {
  const instance = await DuckDBInstance.create(
    file,
    file === ':memory:' ? { threads: '1' } : { access_mode: 'READ_ONLY', threads: '1' },
  )
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

describe('a build', () => {
  test.each([
    ['a subquery', 'select * from (\nselect market_id, ts from staging.seen\norder by market_id, ts\n)'],
    ['a comment', 'select market_id, ts from staging.seen\norder by market_id, ts /* not\norder by ts */'],
  ])('takes the input of a fold with an order in %s', async (_, sql) => {
    const lake = await lakeOf([0], false)
    const built = await buildMarts(lake, 'scores', settings({ models: [bids, { ...numbering, sql }, seen] }))
    expect(hashes(built)).toEqual(hashes(await buildMarts(lake, 'scores', settings())))
  })

  test('has the rows of its models, and reports them in meta.build', async () => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), {
      quotes: [
        quote('a', noon - 2_000_000, { bid: 500_000n }),
        quote('a', noon, { bid: 250_000n }),
        quote('a', noon + 1, { bid: 999_999n }),
        quote('b', noon - 1, { bid: 1n }),
      ],
    })
    const built = await buildMarts(lake, 'scores', settings())
    expect(await tableOf(built.file, 'select * from marts.bids')).toEqual([
      { market_id: 'venue:a', n_bids: '2', top_price: '0.500000', amount: '750000', last_ordinal: 1 },
      { market_id: 'venue:b', n_bids: '1', top_price: '0.000001', amount: '1', last_ordinal: 0 },
    ])
    const [table] = built.tables
    expect(await tableOf(built.file, 'select * exclude (took_s, model_hash) from meta.build')).toEqual([
      {
        name: 'bids',
        publication: 'scores',
        snapshot_id: built.id,
        lake_snapshot: String(built.lakeSnapshot),
        as_of: '2026-11-20 13:05:00',
        n_rows: '2',
        content_hash: table?.content_hash,
        built_at: '2026-11-20 13:06:00',
      },
    ])
  })

  test('of the same lake and instant has the same hashes, whatever the threads and the order of ingestion', async () => {
    const built: Built[] = []
    for (const threads of [1, 2]) {
      for (const [parts, isReversed] of [
        [[0, 1, 2], false],
        [[2, 0, 1], true],
      ] as const) {
        const lake = await lakeOf(parts, isReversed, threads)
        built.push(
          await buildMarts(lake, 'scores', settings({ threads })),
          await buildMarts(lake, 'scores', settings({ threads })),
        )
      }
    }
    expect(built[0]?.tables.map(({ name, n_rows }) => [name, n_rows])).toEqual([['bids', 37]])
    for (const one of built) expect(hashes(one)).toEqual(hashes(built[0] ?? one))
    expect(new Set(built.map(({ id }) => id)).size).toBe(built.length)
  })

  test('of another instant or another row has another hash', async () => {
    const lake = await lakeOf([0], false)
    const first = hashes(await buildMarts(lake, 'scores', settings()))
    expect(hashes(await buildMarts(lake, 'scores', settings({ asOf: noon - 3_600_000_000 })))).not.toEqual(first)
    await storeRows(lake, lifeOf('0x7'), { quotes: [quote('m1', noon, { bid: 1n })] })
    expect(hashes(await buildMarts(lake, 'scores', settings()))).not.toEqual(first)
  })

  test('reads the lake as of its start', async () => {
    const lake = await lakeOf([0, 1], false)
    const expected = hashes(await buildMarts(lake, 'scores', settings()))
    // The fold comes after staging: by then every unit is another one.
    const meddling: FoldModel = {
      ...numbering,
      sql: 'select market_id, ts from lake.quotes where ts <= (select as_of from core.clock) order by market_id, ts',
      fold: async (chunks, emit) => {
        for (const part of [0, 1, 2]) {
          await storeRows(lake, lifeOf(`0x${part}`), { quotes: part === 1 ? [] : [quote('m1', noon)] })
        }
        await numbering.fold(chunks, emit)
      },
    }
    const late = parseModel(
      'marts',
      'late',
      '-- Rows.\n-- columns: n_rows\nselect count(*) as n_rows from lake.quotes where market_id not in (select market_id from marts.bids)',
    )
    const built = await buildMarts(lake, 'scores', settings({ models: [bids, meddling, seen, late] }))
    expect(hashes(built).filter(([name]) => name === 'bids')).toEqual(expected)
    expect(await tableOf(built.file, 'select n_rows from marts.late')).toEqual([{ n_rows: '0' }])
  })

  test('of a former snapshot of the lake has its hashes again, after merges too', async () => {
    const lake = await lakeOf([0, 1], false)
    const first = await buildMarts(lake, 'scores', settings())
    await storeRows(lake, lifeOf('0x0'), { quotes: [quote('m9', noon)] })
    await mergeAll(lake)
    expect(hashes(await buildMarts(lake, 'scores', settings()))).not.toEqual(hashes(first))
    const again = await buildMarts(lake, 'scores', settings({ lakeSnapshot: first.lakeSnapshot }))
    expect([again.lakeSnapshot, ...hashes(again)]).toEqual([first.lakeSnapshot, ...hashes(first)])
    await expect(buildMarts(lake, 'scores', settings({ lakeSnapshot: 999 }))).rejects.toThrow(
      /^lake snapshot 999: it is not kept; expected one from 0 to \d+$/,
    )
  })

  test('stores the tables behind the marts as Parquet, in the order of their keys', async () => {
    const lake = await lakeOf([0, 1], true, 2)
    const { derived } = await buildMarts(lake, 'scores', settings({ threads: 2 }))
    const file = lake.local.locate(`${derived}/staging/seen.parquet`)
    const keys = z.array(z.object({ key: z.string() }))
    const rows = keys.parse(await tableOf(':memory:', `select market_id || ' ' || ts as key from '${file}'`))
    expect(rows).toHaveLength(8_000)
    expect(rows.map(({ key }) => key)).toEqual(rows.map(({ key }) => key).toSorted())
  })

  test('stores a table that is not ordered as its select gives it', async () => {
    const lake = await newLake()
    const text = '-- Numbers.\n-- columns: n_a\nselect unnest([3, 1, 2]) as n_a'
    const storedBy = async (model: Model): Promise<unknown> => {
      const { derived } = await buildMarts(lake, 'scores', settings({ models: [model] }))
      return tableOf(':memory:', `from '${lake.local.locate(`${derived}/core/numbers.parquet`)}'`)
    }
    expect(await storedBy(parseModel('core', 'numbers', text))).toEqual([{ n_a: '1' }, { n_a: '2' }, { n_a: '3' }])
    const unordered = parseModel('core', 'numbers', text.replace('-- columns', '-- ordered: no\n-- columns'))
    expect(await storedBy(unordered)).toEqual([{ n_a: '3' }, { n_a: '1' }, { n_a: '2' }])
  })
})

describe('a model that does not keep its word is named', () => {
  const expectRefused = async (text: string, reason: string, layer: 'core' | 'marts' = 'core'): Promise<void> => {
    const lake = await newLake()
    await storeRows(lake, lifeOf('0xa'), {
      quotes: [quote('a', noon), quote('a', noon - 1), quote('b', noon, { last: 1n })],
    })
    const built = buildMarts(lake, 'scores', settings({ models: [parseModel(layer, 'broken', text)] }))
    const message = await built.then(
      () => 'it was built',
      (error: Error) => error.message,
    )
    expect(message).toMatch(`model ${layer}.broken: `)
    expect(message).toMatch(reason)
    // The files of the failed build are removed.
    expect(await readdir(lake.scratch)).toEqual([])
  }

  test('for a column that its header does not document, or documents and lacks', async () => {
    await expectRefused(
      '-- A row.\n-- columns: market_id, ts;\nselect market_id, ts, bid from lake.quotes',
      'the header documents (market_id, ts) and the select gives (market_id, ts, bid)',
    )
    await expectRefused(
      '-- A row.\n-- columns: market_id, ts; bid\nselect market_id, ts from lake.quotes',
      'the header documents (market_id, ts, bid) and the select gives (market_id, ts)',
    )
    await expectRefused(
      '-- A row.\n-- columns: market_id, ts\nselect ts, market_id from lake.quotes',
      'the header documents (market_id, ts) and the select gives (ts, market_id)',
      'marts',
    )
  })

  test('for a null where there must be none', async () => {
    await expectRefused(
      '-- A row.\n-- columns: market_id, ts; last\nselect market_id, ts, "last" from lake.quotes',
      'column last is null in a row, and its header says that it never is',
    )
  })

  test('for two rows of one key', async () => {
    await expectRefused(
      '-- A row.\n-- columns: market_id; \nselect market_id from lake.quotes',
      'two rows have the key ("market_id") = (venue:a)',
      'marts',
    )
  })

  test('for a value that its type does not hold', async () => {
    await expectRefused(
      '-- A row.\n-- columns: market_id, ts; price\nselect market_id, ts, 12345 as price from lake.quotes',
      'DECIMAL(9,6)',
    )
  })

  test('and the outputs of a fold are checked', async () => {
    const lake = await lakeOf([0], false)
    const astray: FoldModel = { ...numbering, fold: async (_, emit) => emit('elsewhere', [[1]]) }
    await expect(buildMarts(lake, 'scores', settings({ models: [seen, astray] }))).rejects.toThrow(
      'model core.numbering: output elsewhere: unknown; expected an output of the fold',
    )
    const hasty: FoldModel = { ...numbering, fold: async () => {} }
    await expect(buildMarts(lake, 'scores', settings({ models: [seen, hasty] }))).rejects.toThrow(
      'model core.numbering: input: 0 rows were read; expected 4000',
    )
  })
})

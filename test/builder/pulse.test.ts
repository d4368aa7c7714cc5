import { describe, expect, test } from 'vitest'

import { buildMarts, type Built } from '#builder/build.ts'
import { parseModel } from '#builder/load.ts'
import { isMart, type Model, type Pruning } from '#builder/model.ts'
import type { BuildSettings } from '#builder/prepare.ts'
import type { Lake } from '#lake/lake.ts'
import { lifeOf, market, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

import { ask, models } from './fixture.ts'

const settings = (more: Partial<BuildSettings> = {}): BuildSettings => ({
  models,
  asOf: noon,
  threads: 2,
  memory: '512MB',
  now: () => noon + 60_000_000,
  ...more,
})

async function lakeOf(n: number): Promise<Lake> {
  const lake = await newLake()
  const quotes = Array.from({ length: n }, (_, i) => quote(`m${i % 7}`, noon + 5_000_000 - i * 1_000_000))
  await storeRows(lake, lifeOf('0xa'), { quotes })
  return lake
}

const martsOf = ({ tables }: Built) => tables.map(({ name, n_rows, content_hash }) => [name, n_rows, content_hash])

const mart = (name: string, publish: string, sql: string): Model =>
  parseModel('marts', name, `-- Rows.\n-- publication: ${publish}\n-- columns: market_id\n${sql}`)

describe('a pulse', () => {
  test('holds its own marts and lists them as such, and scores all others', async () => {
    const lake = await lakeOf(100)
    const tables = `select schema_name || '.' || table_name from duckdb_tables() where not internal order by all`
    const published = 'select distinct publication, snapshot_id from meta.build'
    for (const [publication, name] of [
      ['pulse', 'now'],
      ['scores', 'bids'],
    ] as const) {
      const built = await buildMarts(lake, publication, settings())
      expect(built).toMatchObject({ publication, asOf: noon, tables: [{ name }] })
      expect(built.id).toMatch(new RegExp(`^${publication}-20261120T130600Z-`))
      expect(await ask(built.file, tables)).toEqual([[`marts.${name}`], ['meta.build']])
      expect(await ask(built.file, published)).toEqual([[publication, built.id]])
    }
  })

  test('has the rows that a build of everything has', async () => {
    const lake = await lakeOf(5_000)
    // One more that reads the same table, so that it is made and not looked through.
    const second = parseModel(
      'marts',
      'second',
      `-- Markets.\n-- publication: pulse\n-- columns: market_id; n_bids\nselect market_id, count(*) as n_bids from staging.seen group by all`,
    )
    for (const chosen of [models, [...models, second]]) {
      for (const asOf of [noon, noon - 600_000_000]) {
        const whole = chosen.map((model): Model => (isMart(model) ? { ...model, publication: 'scores' } : model))
        const full = await buildMarts(lake, 'scores', settings({ models: whole, asOf }))
        const pulse = martsOf(await buildMarts(lake, 'pulse', settings({ models: chosen, asOf })))
        expect(martsOf(full)).toEqual(expect.arrayContaining(pulse))
        expect(pulse).toHaveLength(chosen.length - 3)
      }
    }
  })

  test('stores none of its inputs, and runs no other model', async () => {
    const lake = await lakeOf(100)
    const broken = parseModel('core', 'broken', '-- Rows.\n-- columns: x\nselect error($$never$$) as x')
    await buildMarts(lake, 'pulse', settings({ models: [...models, broken] }))
    expect(await lake.storage.list('derived')).toEqual([])
    await expect(buildMarts(lake, 'scores', settings({ models: [...models, broken] }))).rejects.toThrow('core.broken')
    const { derived } = await buildMarts(lake, 'scores', settings())
    const kept = await lake.storage.list('derived')
    expect(kept).toEqual([`${derived}/staging/seen.parquet`, `${derived}/staging/unused.parquet`])
    const bytes = async () => Promise.all(kept.map(async (path) => (await lake.local.get(path))?.toString('base64')))
    const before = await bytes()
    await storeRows(lake, lifeOf('0xb'), { quotes: [quote('late', noon)] })
    await buildMarts(lake, 'pulse', settings())
    expect(await bytes()).toEqual(before)
  })

  test('opens no file of a table that it does not read', async () => {
    const lake = await lakeOf(100)
    await storeRows(lake, { ...lifeOf('0xc'), source: 'venue_markets' }, { markets: [market('c')] })
    for (const path of await lake.storage.list('lake/markets')) await lake.storage.put(path, Buffer.from('no Parquet'))
    expect((await buildMarts(lake, 'pulse', settings())).tables).toHaveLength(1)
  })

  test('reads no rows that all its marts prune', async () => {
    const lake = await newLake()
    for (const source of ['venue_quotes', 'venue_feed', 'venue_accounts']) {
      const quotes = [0, 1, 2, 3, 4].map((hours) => quote(`${source} ${hours}`, noon - hours * 3_600_000_000))
      await storeRows(lake, { ...lifeOf('0xa'), source }, { quotes })
    }
    const sparing = (name: string, ...prunes: Pruning[]): Model => ({
      ...parseModel(
        'marts',
        name,
        '-- Rows.\n-- publication: pulse\n-- columns: market_id\nselect market_id from staging.seen',
      ),
      prunes,
    })
    const seenWith = async (unread: readonly string[], ...own: Model[]) => {
      const chosen = [...models.filter((model) => !isMart(model)), ...own]
      // A file that cannot be read is one that is not opened.
      const broken = (await lake.storage.list('lake/quotes')).filter((path) => unread.some((one) => path.includes(one)))
      const kept = await Promise.all(broken.map(async (path) => ({ path, body: await lake.local.get(path) })))
      for (const path of broken) await lake.storage.put(path, Buffer.from('no Parquet'))
      const building = buildMarts(lake, 'pulse', settings({ models: chosen }))
      await building.catch(() => undefined)
      for (const { path, body } of kept) if (body !== undefined) await lake.storage.put(path, body)
      const { file } = await building
      const rows = await ask(file, `select market_id from marts.${own[0]?.name} order by 1`)
      const hours = new Set(rows.map(([id]) => Number(String(id).split(' ')[1])))
      return [...hours].toSorted((a, b) => a - b)
    }
    const older = (hours: number): Pruning => ({ table: 'quotes', hours })
    const quotesOf = (source: string): Pruning => ({ table: 'quotes', source })
    const two = sparing('two', older(2), quotesOf('venue_accounts'))
    const three = sparing('three', older(3), quotesOf('venue_accounts'), quotesOf('venue_feed'))
    const none = sparing('none')
    const elsewhere = parseModel('marts', 'elsewhere', '-- X.\n-- publication: pulse\n-- columns: x\nselect 1 as x')
    const [accounts, feed] = ['venue_accounts', 'venue_feed']
    expect(await seenWith([accounts], two)).toEqual([0, 1])
    expect(await seenWith([accounts, feed], three)).toEqual([0, 1, 2])
    expect(await seenWith([accounts], two, three)).toEqual([0, 1, 2])
    await expect(seenWith([feed], two, three)).rejects.toThrow(/parquet/i)
    expect(await seenWith([accounts], two, elsewhere)).toEqual([0, 1])
    expect(await seenWith([], two, none)).toEqual([0, 1, 2, 3, 4])
    await expect(seenWith([accounts], two, none)).rejects.toThrow(/parquet/i)
  })

  test('reads no coverage that all its marts prune', async () => {
    const lake = await newLake()
    const sources = ['accounts', 'venue', 'venue_accounts', 'venue_accounts_too', 'zebra']
    for (const source of sources) await storeRows(lake, { ...lifeOf('0xa'), source }, { quotes: [quote(source, noon)] })
    const seenWith = async (...pruned: string[][]) => {
      const own = pruned.map((names, n): Model => ({
        ...parseModel(
          'marts',
          `own_${n}`,
          '-- Sources.\n-- publication: pulse\n-- columns: source\nselect distinct source from lake.coverage',
        ),
        prunes: names.map((source) => ({ table: 'coverage', source })),
      }))
      const { file } = await buildMarts(lake, 'pulse', settings({ models: own }))
      return (await ask(file, 'select source from marts.own_0 order by 1')).flat()
    }
    const two = ['venue_accounts', 'accounts']
    expect(await seenWith([])).toEqual(sources)
    expect(await seenWith(two)).toEqual(['venue', 'venue_accounts_too', 'zebra'])
    expect(await seenWith(two, ['accounts'])).toEqual(sources.slice(1))
    expect(await seenWith(two, [])).toEqual(sources)
  })

  test('is checked like any mart: its key, its columns, and that its model makes it at all', async () => {
    const lake = await lakeOf(100)
    const rejected = async (...own: Model[]) =>
      buildMarts(lake, 'pulse', settings({ models: [...models, ...own] })).then(
        () => 'it was built',
        (error: Error) => error.message,
      )
    expect(await rejected(mart('twice', 'pulse', 'select market_id from staging.seen'))).toContain(
      'model marts.twice: two rows have the key',
    )
    expect(await rejected(mart('other', 'pulse', 'select market_id as id from staging.seen'))).toContain(
      'the header documents (market_id) and the select gives (id)',
    )
    // Another publication is as of another instant.
    expect(await rejected(mart('across', 'pulse', 'select market_id from marts.bids'))).toContain(
      'model marts.across: reads unknown table marts.bids; expected a table of a model',
    )
  })
})

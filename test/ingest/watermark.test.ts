import { describe, expect, test } from 'vitest'

import { ingestUnits } from '#ingest/batch.ts'
import { plan, type PlannedUnits } from '#ingest/plan.ts'
import { reparse } from '#ingest/reparse.ts'
import type { Part, Source } from '#ingest/source.ts'
import { unitOf } from '#ingest/units.ts'
import type { Lake } from '#lake/lake.ts'
import { storedCoverage } from '#lake/units/stored_unit.ts'
import type { Unit } from '#lake/units/unit.ts'
import { newLake, noon, quote } from '#test/lake/fixture.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'

import { noNetwork, tinyHttp, tinyHost, tinySource } from './tiny.ts'

/** The head of each chain; a chain without a number does not answer. */
type Chains = Record<string, { head: number; final: number } | undefined>

const grid = 10

/** A quote a block, in units of ten blocks from 100 on; it notes how often it is asked how far a chain has got. */
function chainSource(chains: Chains, asked: string[] = []): Source {
  const source: Source = tinySource({
    unit: 'blocks',
    lag_s: 0,
    settle_s: 0,
    parts: Object.keys(chains).map((name): Part => ({ name, upstreams: [tinyHost] })) as [Part, ...Part[]],
    watermark: async ({ name }) => {
      asked.push(name)
      const watermark = chains[name]
      if (watermark === undefined) throw new Error(`${name} does not answer`)
      return watermark
    },
    plan: async ({ part, watermark }) => {
      const units: Unit[] = []
      const of = { name: source.name, unit: source.unit, part: part.name }
      for (let from = 100; from < watermark.head; from += grid) units.push(unitOf(of, { from, to: from + grid }))
      return units
    },
    read: async ({ from, to }, { until }) => {
      const last = Math.min(to ?? until, until)
      const blocks = Array.from({ length: last - from }, (_, n) => from + n)
      return { rows: { quotes: blocks.map((block) => quote(`b${block}`, noon)) }, rejected: [], state: 'complete' }
    },
  })
  return source
}

const planned = (lake: Lake, source: Source, part?: string): Promise<PlannedUnits> => {
  const request = { source: source.name, at: noon, from: 0, to: noon, keys: [], ...(part && { part }) }
  return lake.read((reader) => plan(source, request, { lake: reader, get: noNetwork }))
}

const firsts = ({ units }: PlannedUnits): number[] => units.map(({ from }) => from)

const follow = async (lake: Lake, chains: Chains, asked: string[] = []) => {
  const source = chainSource(chains, asked)
  const { units } = await planned(lake, source)
  asked.length = 0
  const tools = { lake, http: tinyHttp({}).http, keepRaw: true, concurrency: 2 }
  return ingestUnits(tools, () => source, units, noon)
}

const coverageOf = async (lake: Lake, from: number) => {
  const unit = unitOf({ name: 'venue_quotes', unit: 'blocks', part: 'a' }, { from, to: from + grid })
  const entries = await storedCoverage(lake, unit)
  return entries.filter(({ dataset }) => dataset === 'quotes').map(({ state, to, n_rows }) => [state, to, n_rows])
}

describe('a source with a watermark', () => {
  test('closes units below what is final, and reads those above it again as the head moves', async () => {
    const lake = await newLake()
    await follow(lake, { a: { head: 125, final: 112 } })
    expect(await coverageOf(lake, 100)).toEqual([['done', 110, 10]])
    expect(await coverageOf(lake, 110)).toEqual([['head', 120, 10]])
    expect(await coverageOf(lake, 120)).toEqual([['head', 125, 5]])
    // A unit below the head is not final: the upstream may rewrite it at any time.
    expect(firsts(await planned(lake, chainSource({ a: { head: 125, final: 112 } })))).toEqual([110])
    const next = { a: { head: 131, final: 120 } }
    expect(firsts(await planned(lake, chainSource(next)))).toEqual([110, 120, 130])
    await follow(lake, next)
    expect(await coverageOf(lake, 110)).toEqual([['done', 120, 10]])
    expect(await coverageOf(lake, 130)).toEqual([['head', 131, 1]])
  })

  test('asks once for a batch', async () => {
    const asked: string[] = []
    const lake = await newLake()
    expect(await follow(lake, { a: { head: 125, final: 112 }, b: { head: 105, final: 101 } }, asked)).toMatchObject({
      units: 4,
      failed: 0,
    })
    expect(asked.toSorted()).toEqual(['a', 'b'])
  })

  test('leaves stored rows if the upstream falls back', async () => {
    const lake = await newLake()
    await follow(lake, { a: { head: 125, final: 112 } })
    const source = chainSource({ a: { head: 123, final: 112 } })
    const unit = unitOf({ name: source.name, unit: 'blocks', part: 'a' }, { from: 120, to: 130 })
    const tools = { lake, http: tinyHttp({}).http, keepRaw: false, concurrency: 1 }
    const tally = await ingestUnits(tools, () => source, [unit], noon)
    expect(tally.failures).toEqual([
      {
        unit: 'venue_quotes/a/000000000120-000000000129',
        reason: 'upstream head: block 122; expected at least the stored block 124',
      },
    ])
    expect(await coverageOf(lake, 120)).toEqual([['head', 125, 5]])
  })

  test('is reparsed as of the watermark of its reading', async () => {
    const lake = await newLake()
    const chains = { a: { head: 125, final: 112 } }
    await follow(lake, chains)
    const before = await parquetFiles(lake.home)
    expect(await reparse(lake, chainSource({ a: undefined }), () => undefined)).toMatchObject({ units: 3, failed: [] })
    expect(await parquetFiles(lake.home)).toEqual(before)
    expect(await coverageOf(lake, 120)).toEqual([['head', 125, 5]])
  })
})

describe('a part whose watermark fails', () => {
  const chains: Chains = { a: { head: 105, final: 101 }, b: undefined, c: { head: 105, final: 101 } }

  test('fails alone among others', async () => {
    const lake = await newLake()
    const partly = await planned(lake, chainSource(chains))
    expect(partly.units.map(({ part }) => part)).toEqual(['a', 'c'])
    expect(partly.failures).toEqual([{ unit: 'venue_quotes/b', reason: 'b does not answer' }])
  })

  test('is an error if it is the only part to plan', async () => {
    const lake = await newLake()
    await expect(planned(lake, chainSource(chains), 'b')).rejects.toThrow('b does not answer')
    expect((await planned(lake, chainSource(chains), 'c')).failures).toBeUndefined()
  })
})

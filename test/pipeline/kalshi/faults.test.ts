import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { faultKinds, type Faults } from '#sim/server/faults.ts'
import { serveWorld } from '#sim/server/server.ts'
import { parquetFiles } from '#test/pipeline/lakefiles.ts'
import { ingestAll, openTestPipeline, type TestHouse } from '#test/pipeline/pipeline.ts'

const world = createWorld({ seed: 5, scale: 0.02 })
const kalshi = createWorld({ seed: 3, scale: 0.02 })
const sources = ['kalshi_markets', 'kalshi_settlements', 'kalshi_trades', 'kalshi_odds']
const reasons = z.object({ dataset: z.string(), reason: z.string() })
const factsShape = z.object({ id: z.string() })

describe('a Kalshi that misbehaves', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-kalshi-faults-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  const read = async <T>(
    name: string,
    faults: Faults,
    look: (house: TestHouse) => Promise<T>,
    dataApi: 'v2' | 'v1' = 'v2',
  ) => {
    const upstream = await serveWorld({ world, others: { kalshi }, clock: () => world.now, faults, dataApi })
    const house = await openTestPipeline(join(root, name), upstream, () => world.now)
    try {
      await ingestAll(house, world.now, sources)
      const looked = await look(house)
      return { looked, files: await parquetFiles(join(root, name)), requests: upstream.requests() }
    } finally {
      await house.lake.close()
      await upstream.close()
    }
  }
  const facts = async ({ lake }: TestHouse): Promise<string[]> => {
    const sql = `select hash(f)::varchar as id from lake.fills f union all select hash(r)::varchar from lake.resolutions r
      union all select hash(m)::varchar from lake.markets m union all select hash(q)::varchar from lake.quotes q`
    return (await lake.read(({ query }) => query(sql, factsShape))).map(({ id }) => id).toSorted()
  }

  it('leaves no trace in the lake when one request in five fails, and none of its generation', async () => {
    const calm = await read('calm', {}, facts)
    const rough = await read('rough', { seed: 4, requests: 0.2, delay_ms: 5, kinds: faultKinds }, facts)
    const failed = Object.entries(rough.requests.byStatus).filter(([status]) => Number(status) >= 400)
    expect(failed.length).toBeGreaterThan(1)
    expect(calm.looked.length).toBeGreaterThan(50)
    expect(rough.files).toEqual(calm.files)
    const former = await read('former', {}, facts, 'v1')
    expect(former.looked).toEqual(calm.looked)
  })

  it('has its damaged rows in quarantine with their reasons, and all others in the lake', async () => {
    const calm = await read('whole', {}, facts)
    const damaged = await read('damaged', { seed: 2, rows: 0.1 }, async (house) => ({
      facts: await facts(house),
      quarantine: await house.lake.read(({ query }) => query('select dataset, reason from lake.quarantine', reasons)),
    }))
    const { quarantine } = damaged.looked
    expect(new Set(quarantine.map(({ dataset }) => dataset))).toEqual(
      new Set(['fills', 'markets', 'quotes', 'resolutions']),
    )
    for (const { reason } of quarantine) expect(reason).toMatch(/expected|invalid/i)
    const { trades, markets, resolutions } = damaged.requests.spoiled
    expect(trades).toBeGreaterThan(0)
    // A damaged trade is one row of the lake, a damaged market one of descriptions and one of quotes.
    const lost = calm.looked.length - damaged.looked.facts.length
    expect(lost).toBeGreaterThanOrEqual(trades)
    expect(lost).toBeLessThanOrEqual(trades + 2 * markets + 2 * resolutions)
    const known = new Set(calm.looked)
    expect(damaged.looked.facts.filter((fact) => !known.has(fact))).toEqual([])
  })
})

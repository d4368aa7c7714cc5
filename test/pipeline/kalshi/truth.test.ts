import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService, type Service } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { hashesOf, ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { sized } from '#test/run/sized.ts'

import { trueMarkets } from './true_markets.ts'

const world = createWorld({ seed: 5, scale: 0.02 })
const kalshi = createWorld({ seed: 21, scale: sized(0.1, 0.1, 0.5) })
const at = world.now
const minute = 60_000_000

const marketsShape = z.array(
  z.object({
    id: z.string(),
    question: z.string(),
    yes_price: z.number(),
    no_price: z.number(),
    volume_24h: z.number(),
    platform: z.string(),
  }),
)

describe('a simulated Kalshi beside a simulated Polymarket', () => {
  let root: string
  let service: Service
  let headers: Record<string, string>
  /** The content hashes of the marts, of both venues and of Polymarket alone. */
  let hashes: { both: Record<string, string>; alone: Record<string, string> }

  /** Reads the worlds into a lake of their own, and publishes all marts. */
  const publish = async (name: string, others: Parameters<typeof serveWorld>[0]['others']) => {
    const upstream = await serveWorld({ world, others: others ?? {}, clock: () => at })
    const house = await openTestPipeline(join(root, name), upstream, () => at)
    try {
      await ingestAll(house, at)
      return hashesOf(await house.activities.publishAll({ asOf: null }))
    } finally {
      await house.lake.close()
      await upstream.close()
    }
  }

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-kalshi-'))
    hashes = { both: await publish('both', { kalshi }), alone: await publish('alone', {}) }
    const config = parseConfig({ TAPELINE_HOME: join(root, 'both'), TAPELINE_PORT: '0' })
    service = await openService(config, true)
    const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
    headers = { authorization: `Bearer ${key}` }
  })
  afterAll(async () => {
    await service.close()
    await rm(root, { recursive: true, force: true })
  })

  const markets = async (query: string) => {
    const response = await fetch(`${service.url}/v1/pm-markets?limit=1000&${query}`, { headers })
    return marketsShape.parse(await response.json())
  }

  it('is served with the true odds and the true volume of each market', async () => {
    const served = await markets('platform=kalshi&status=all')
    const known = trueMarkets(kalshi, at, { seen: at - minute / 2, since: at - 73 * 60 * minute })
    expect(
      served
        .map(({ id, yes_price, volume_24h }) => ({ id, yes_price, volume_24h }))
        .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
    ).toEqual(
      known
        .filter(({ method }) => method !== 'none')
        .map(({ id, yes_price, volume_24h }) => ({ id, yes_price, volume_24h })),
    )
    // Every way in which a price comes about occurs.
    const methods = ['payout', 'mid', 'last_trade', 'venue', 'none']
    expect([...new Set(known.map(({ method }) => method))]).toEqual(expect.arrayContaining(methods))
    expect(known.filter(({ volume_24h }) => volume_24h > 0).length).toBeGreaterThan(5)
  })

  it('is listed beside the other venue', async () => {
    const platforms = new Set((await markets('platform=all&status=all')).map(({ platform }) => platform))
    expect(platforms).toEqual(new Set(['kalshi', 'polymarket']))
  })

  it('changes no figure of a trader', () => {
    for (const name of ['pm_traders', 'pm_wallet', 'pm_wallet_markets', 'clv_guards']) {
      expect({ name, hash: hashes.both[name] }).toEqual({ name, hash: hashes.alone[name] })
    }
    expect(hashes.both['pm_markets']).not.toBe(hashes.alone['pm_markets'])
  })

  it('has no trader, in any table', async () => {
    const instance = await DuckDBInstance.create(join(root, 'both', 'tapeline.duckdb'), { access_mode: 'READ_ONLY' })
    const connection = await instance.connect()
    try {
      const columns = await connection.runAndReadAll(
        `select schema_name || '.' || table_name as name, column_name as field from (
           select table_schema as schema_name, table_name, column_name from information_schema.columns)
         where column_name in ('trader', 'wallet', 'address') and schema_name in ('core', 'metrics', 'marts')`,
      )
      const tables = columns.getRowObjects() as { name: string; field: string }[]
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['core.fills', 'marts.pm_wallet']))
      for (const { name, field } of tables) {
        const empty = await connection.runAndReadAll(`select count(*)::integer as n from ${name} where ${field} = ''`)
        expect({ name, n: empty.getRowObjects()[0]?.['n'] }).toEqual({ name, n: 0 })
      }
    } finally {
      connection.closeSync()
      instance.closeSync()
    }
  })
})

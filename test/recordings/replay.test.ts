import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { simulatedHosts } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig } from '#config.ts'
import { createHttp, HttpError, type Http } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { sources } from '#sources/index.ts'
import { polymarketActivity } from '#sources/markets/polymarket/polymarket_activity.ts'
import { ingest, planWith, readWith, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

import { serveRecordings, unrecorded } from './replay.ts'
import { isRecorded, recordedRows, routeOf } from './routes.ts'

describe.runIf(isRecorded)('the recordings, served', () => {
  let lake: Lake
  let get: Http
  const close: (() => Promise<void>)[] = []
  // After the last row that was recorded.
  const at = Date.UTC(2026, 10, 20) * 1000

  beforeAll(async () => {
    const opened = await temporaryLake()
    lake = opened.lake
    const served = await serveRecordings()
    close.push(served.close, opened.remove)
    get = createHttp({
      hosts: simulatedHosts(parseConfig({}).hosts, served),
      now_ms: () => 0,
      sleep: async () => {},
      random: () => 0,
    })
    // The recordings served have no node that `polymarket_chain` could read.
    const polled = sources.filter(
      ({ name, kind, unit }) => name.startsWith('polymarket_') && kind !== 'stream' && unit !== 'blocks',
    )
    for (const source of polled) await ingest(source, { lake, get, at, ...unrecorded })
  })
  afterAll(async () => {
    for (const end of close) await end()
  })

  const select = (sql: string) => lake.read((reader) => reader.query(sql, z.record(z.string(), z.unknown())))

  test('an unrecorded request is a 404', async () => {
    const shape = z.unknown()
    for (const path of ['/v2/trades', '/trades', '/activity', '/nowhere']) {
      await expect(get({ host: 'polymarket_data', path }, shape)).rejects.toThrow(HttpError)
    }
    const nobody = { user: `0x${'0'.repeat(40)}` }
    await expect(get({ host: 'polymarket_data', path: '/activity', query: nobody }, shape)).rejects.toThrow('404')
  })

  test('gives every market that was recorded', async () => {
    const recorded = [
      ...recordedRows(routeOf('/markets/keyset')).map((body) => `polymarket:${String(body['conditionId'])}`),
      ...recordedRows(routeOf('/markets')).map((body) => `polymarket:${String(body['condition_id'])}`),
    ]
    const stored = await select('select distinct market_id from lake.markets')
    expect(new Set(stored.map((row): unknown => row['market_id']))).toEqual(new Set(recorded))
    const [open] = await select('select count(*)::int as n from lake.quotes where bid is not null and ask is not null')
    expect(open?.['n']).toBeGreaterThan(100)
  })

  test('gives the recorded wallet its fills, unverified and without roles', async () => {
    expect(
      await select(`select trader, count(*)::int as n, count(role)::int as n_roles from lake.fills group by trader`),
    ).toEqual([{ trader: '0xee50a31c3f5a7c77824b12a941a54388a2827ed6', n: 3500, n_roles: 0 }])
    expect(
      await select(`select distinct state from lake.coverage where source = 'polymarket_trades' and n_rows > 0`),
    ).toEqual([{ state: 'unverified' }])
  })

  test('gives each of its 59 markets a payout', async () => {
    const [resolved] = await select(
      `select count(distinct market_id)::int as n from lake.resolutions where market_id in (select market_id from lake.fills)`,
    )
    expect(resolved).toEqual({ n: 59 })
  })

  test('gives other wallets their activity when they are requested', async () => {
    const wallets = ['0x4f3456c5b05b14d8afc40e0299d6d68de0ff7d7e', '0x6a72f61820b26b1fe4d956e17b6dc2a1ea3033ee']
    const units = await planWith(polymarketActivity, lake, { at, keys: wallets })
    const pulled = await Promise.all(units.map((unit) => readWith(polymarketActivity, unit, { lake, get, at })))
    expect(pulled.map(({ state }) => state)).toEqual(['complete', 'complete'])
    expect(pulled.flatMap(({ rejected }) => rejected)).toEqual([])
    const kinds = pulled.flatMap(({ rows }) => rows.activity ?? []).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === 'redeem').length).toBeGreaterThan(200)
    expect(kinds).toContain('rebate')
    expect(pulled.flatMap(({ rows }) => rows.fills ?? []).length).toBeGreaterThan(290)
  })

  test('has nothing that is refused', async () => {
    expect(await select('select reason from lake.quarantine')).toEqual([])
  })
})

import { readdir } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { mostPerDay } from '#accounts/request_buffer.ts'
import { listRequested } from '#accounts/requested.ts'
import { createActivities } from '#activities/index.ts'
import { requestedAccounts } from '#bin/wiring/service.ts'
import { startWorkflow } from '#engine'
import { startService, type Service } from '#test/api/service.ts'
import { tinyHttp, tinySource, tinyTools, unitOf } from '#test/ingest/tiny.ts'
import { newLake, noon } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { coverageOf } from '#test/temporal/support/lakes.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

import { randomFrom } from './hostile.ts'

const asked = sized(1_200, 1_800, 10_000)
const known = `0x${'1'.repeat(40)}`
const source = 'polymarket_activity'

let service: Service
beforeAll(async () => {
  const wallets = [{ address: known, markets_traded: 3, total_pnl: '12.5' }]
  service = await startService({ rows: { wallets }, rateFactor: 10_000 })
})
afterAll(() => service.stop())

const profileOf = async (address: string) => {
  const { status, headers, text } = await service.ask(`/v1/pm-wallet?address=${address}`)
  return { status, coverage: headers['x-coverage'], text }
}

/** An upstream that answers every key, most of them with nothing. */
const openUpstream = () => tinyHttp(new Proxy({}, { get: (_, key) => (key === known ? [{ ts: 1, bid: 1 }] : []) })).http

test(`${asked} random addresses leave no file in the lake and no unit, and known addresses are answered as before`, async () => {
  const lake = await newLake()
  const random = randomFrom(7)
  const strangers = Array.from(
    { length: asked },
    () => `0x${Array.from({ length: 40 }, () => random(16).toString(16)).join('')}`,
  )
  const plan = async ({ keys }: { keys: readonly string[] }) => keys.map((key) => ({ ...unitOf(key), source }))
  const activities = createActivities({
    ...tinyTools(lake, tinySource({ name: source, plan }), noon),
    http: openUpstream(),
    keepRaw: true,
    requests: requestedAccounts(service.accounts),
  })
  await activities.pull({ units: [{ ...unitOf(known), source }], at: noon, rate: null })
  const stateOf = async () => {
    await activities.maintain()
    const files = await readdir(lake.home, { recursive: true, withFileTypes: true })
    return {
      coverage: await coverageOf(lake.home),
      files: files
        .filter((one) => one.isFile() && /parquet|zst/.test(one.name))
        .map((one) => join(one.parentPath, one.name)),
    }
  }
  const before = { lake: await stateOf(), known: await profileOf(known) }
  expect(before.lake.files.length).toBeGreaterThan(1)

  const answers = new Map<string, number>()
  const ask = async (address: string) => {
    const { status, coverage } = await profileOf(address)
    const answered = `${status} ${String(coverage)}`
    answers.set(answered, (answers.get(answered) ?? 0) + 1)
  }
  for (let i = 0; i < asked; i += 50) await Promise.all(strangers.slice(i, i + 50).map(ask))
  // Each address is requested with its proxy and its Safe.
  const quota = mostPerDay / 3
  expect(Object.fromEntries(answers)).toEqual({
    '200 pending': quota,
    [`200 partial; reason="not read yet, and this account has requested its ${mostPerDay} addresses of the day"`]:
      asked - quota,
  })

  await service.requests.flush()
  expect(await listRequested(service.accounts, { most: 100_000 })).toHaveLength(mostPerDay)
  const run = startWorkflow(ingestRequested, { args: [{ source, pause_ms: 1 }], activities })
  await until(async () => (await listRequested(service.accounts)).length === 0)
  run.cancel()
  await expect(run.result).rejects.toThrow('cancelled')
  expect(await stateOf()).toEqual(before.lake)
  service.clock.at += 10_000_000
  expect(await profileOf(known)).toEqual(before.known)
  expect(await profileOf(strangers[0] ?? '')).toMatchObject({ status: 200, coverage: 'complete' })
})

import { describe, expect, test } from 'vitest'

import { estimateWork } from '#ingest/estimate.ts'
import type { Lake } from '#lake/lake.ts'
import { newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

import { noNetwork, tinyHost, tinySource, unitOf } from './tiny.ts'

const unitsDue = Array.from({ length: 30 }, (_, n) => unitOf(`0xdue${n}`))
// A typical unit: 2 requests, 100 rows, 5,000 bytes; the host takes 4 requests in 10 seconds.
const source = tinySource({ plan: async () => unitsDue })
const slow = { [tinyHost.name]: { ...tinyHost, requestsPer10s: 4 } }

const estimate = (lake: Lake) => {
  const request = { source: source.name, at: noon, from: 0, to: noon, keys: [] }
  return lake.read((reader) => estimateWork(source, slow, request, { lake: reader, get: noNetwork }))
}

/** Stores `n` units of `rows` rows each, with an entry for each of the two datasets. */
async function storeUnits(lake: Lake, n: number, rows: number): Promise<void> {
  for (let i = 0; i < n; i++) {
    const quotes = Array.from({ length: rows }, (_, at) => quote('m', noon + at))
    await storeRows(lake, unitOf(`0xstored${i}`), { quotes, markets: [] })
  }
}

describe('an estimate', () => {
  test('is of typical units while few are stored', async () => {
    const lake = await newLake()
    await storeUnits(lake, 19, 1)
    expect(await estimate(lake)).toEqual({
      units: 30,
      requests: 60,
      rows: 3_000,
      bytes: 150_000,
      seconds: 150,
      basis: 'typical',
    })
  })

  test('is of the units that are stored once they are twenty', async () => {
    const lake = await newLake()
    await storeUnits(lake, 20, 250)
    // Two and a half times the typical rows: so many times its requests and bytes.
    expect(await estimate(lake)).toEqual({
      units: 30,
      requests: 150,
      rows: 7_500,
      bytes: 375_000,
      seconds: 375,
      basis: 'measured',
    })
  })

  test('counts a request for each unit, however few its rows', async () => {
    const lake = await newLake()
    await storeUnits(lake, 20, 1)
    expect(await estimate(lake)).toMatchObject({ requests: 30, rows: 30, seconds: 75, basis: 'measured' })
  })

  test('leaves out what is covered', async () => {
    const lake = await newLake()
    for (const unit of unitsDue.slice(0, 28))
      await storeRows(lake, unit, { quotes: [], markets: [] }, { state: 'done' })
    expect(await estimate(lake)).toMatchObject({ units: 2 })
  })
})

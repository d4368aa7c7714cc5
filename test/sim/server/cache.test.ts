import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { steppedClock } from '#sim/clock.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { ask, type WireRow } from '#test/sim/markets/all_pages.ts'

const world = createWorld({ seed: 9, scale: 0.05 })
const busy = world.matches.ts_s[world.matches.length - 200] ?? 0
const clock = steppedClock(busy * 1e6)

describe('the cache before the venue', () => {
  let served: ServedWorld
  beforeAll(async () => {
    served = await serveWorld({ world, clock: clock.now, cache: 'stale' })
  })
  afterAll(() => served.close())

  const rowsOf = async (query: string): Promise<WireRow[]> => {
    const url = `${served.hosts.polymarket_data}/v2/trades?limit=1000&taker_only=false&${query}`
    return ((await ask(url)).body as { data: WireRow[] }).data
  }

  test('serves a copy of an address for five minutes, which lacks rows, and past it what there is', async () => {
    const fresh: WireRow[] = []
    let n_lacking = 0
    for (let step = 0; step < 40; step += 1) {
      const copy = await rowsOf('')
      fresh.splice(0, Infinity, ...(await rowsOf(`_=${step}`)))
      n_lacking += fresh.length - copy.length
      clock.advance(60_000_000)
    }
    expect(n_lacking).toBeGreaterThan(0)
    const at = await rowsOf('again')
    const again = await rowsOf('again')
    expect(again.length).toBeLessThanOrEqual(at.length)
    clock.advance(299_000_000)
    expect(await rowsOf('again')).toEqual(again)
    clock.advance(1_000_000)
    expect(await rowsOf('again')).toEqual(await rowsOf('_=last'))
  })

  test('leaves other routes alone', async () => {
    const status = async () => (await ask(`${served.hosts.polymarket_data}/v2/status`)).body
    const before = await status()
    clock.advance(1_000_000)
    expect(await status()).not.toEqual(before)
  })
})

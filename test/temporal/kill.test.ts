import { expect, it } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { runStorm } from './support/storm.ts'
import { describeOnTemporal } from './support/suite.ts'

describeOnTemporal('a backfill whose workers and server are killed', () => {
  // `npm run soak -- kill` is the long form: 570,000 rows, ten kills, a minute of sleep, three restarts of the server.
  it('leaves the lake of one in peace, and shows no half-written file meanwhile', async () => {
    const settings = {
      seed: 12,
      scale: sized(0.05, 0.05, 0.1),
      kills: sized(2, 2, 3),
      freezes: 1,
      freeze_ms: 15_000,
      restarts: 1,
    }
    const { calm, stormy, struck, looks, complaints } = await runStorm({ ...settings, say: () => undefined })
    // The test has power only if each strike hit during the work, and the reader looked.
    expect(struck).toEqual({ kill: settings.kills, freeze: 1, restart: 1 })
    expect(looks).toBeGreaterThan(5)
    expect(complaints).toEqual([])
    expect(stormy).toEqual(calm)
  })
})

import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { loadScoring } from '#scoring/index.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { machineClock } from '#time.ts'
import { gather, readUntil } from '#validation/gather.ts'
import { report } from '#validation/report.ts'

import { serveRecordings, unrecorded } from './replay.ts'
import { isRecorded } from './routes.ts'

/** After the last row that was recorded, and before the last of them. */
const until = Date.UTC(2026, 10, 20) * 1000
const at = Date.UTC(2026, 1, 17, 20) * 1000

describe.runIf(isRecorded)('a validation of what was recorded', () => {
  it('prints the available figures, and none that rests on too few traders', async () => {
    const upstream = await serveRecordings()
    onTestFinished(upstream.close)
    const home = await mkdtemp(join(tmpdir(), 'tapeline-recordings-'))
    onTestFinished(() => rm(home, { recursive: true, force: true }))
    const pipeline = await openTestPipeline(home, upstream, () => until)
    onTestFinished(() => pipeline.lake.close())
    const sources = ['polymarket_markets', 'polymarket_clob_markets', 'polymarket_resolutions', 'polymarket_trades']
    await ingestAll(pipeline, until, [...sources, 'polymarket_activity'], unrecorded)

    const reached = await readUntil(pipeline.lake)
    expect(reached).toBeGreaterThan(until - 3_600_000_000)
    expect(reached).toBeLessThanOrEqual(until)
    const settings = { models: await loadScoring(), threads: 2, memory: '2GB', now: machineClock }
    const found = report(await gather(pipeline.lake, { at, until: reached ?? until }, settings))
    expect(found).toMatchObject({ groups: [] })
    expect(found.funnel.n_known).toBeGreaterThan(0)
    expect(found.n_eligible).toBe(found.funnel.n_scored)
    expect(found.cannot[0]).toContain(`: ${found.funnel.n_known}; of these with a complete history`)
    expect(found.cannot[1]).toContain(`${30 - found.n_with.payout} more`)
  })
})

import { createHash } from 'node:crypto'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { runFirstCycle } from '#bin/demo/first_cycle.ts'
import { demoPosts, storePastPosts } from '#bin/demo/past_posts.ts'
import { startUpstream } from '#bin/demo/upstream.ts'
import { openWorkingEngine } from '#bin/wiring/engine.ts'
import { openPipeline, type Pipeline, type PipelineOptions } from '#bin/wiring/pipeline.ts'
import { simulatedConfig } from '#bin/wiring/simulated_config.ts'
import { parseConfig } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import { newHome } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { SECOND } from '#time.ts'
import { backfill } from '#workflows/backfill.ts'

const hash = (platform: string, account: string): string =>
  createHash('sha256').update(`${platform} ${account}`).digest('base64url').slice(0, 22)

/** The largest venue and the posts of a demo, and the pipeline that reads them. */
async function openDemo(seed: number, crowd: { traders: number; matches: number }) {
  const upstream = await startUpstream({ seed, speed: 60, crowd, hasPosts: true, isLifelike: true })
  const plain = parseConfig({ TAPELINE_HOME: await newHome() })
  const simulated = simulatedConfig(plain, upstream, {})
  const sources = simulated.sources.filter(({ name }) => /^(polymarket|news)_/.test(name))
  const config = { ...simulated, sources, threads: 2, memory: '2GB' }
  const failures: string[] = []
  const open = (options: PipelineOptions): Promise<Pipeline> =>
    openPipeline(config, { ...options, clock: upstream.clock })
  const onError = (id: string, error: unknown): void => void failures.push(`${id}: ${String(error)}`)
  const { pipeline, engine } = await openWorkingEngine(config, open, { onError })
  onTestFinished(async () => {
    await engine.close()
    await pipeline.close()
    await upstream.close()
    expect(failures).toEqual([])
  })
  return { upstream, pipeline, engine, config }
}

const signalShape = z.object({ type: z.string(), direction: z.string(), entity: z.string() })
/** The signals in the lake by type, direction and asset; wallets and markets are not named. */
const signalsOf = async ({ lake }: Pipeline): Promise<string[]> => {
  const rows = await lake.read(({ query }) => query('select type, direction, entity from lake.feed', signalShape))
  return rows
    .map(({ type, direction, entity }) =>
      /social|signal/.test(type) ? `${type} ${direction} ${entity}` : `${type} ${direction}`,
    )
    .toSorted()
}

/** Reads what a follow reads at an instant, and publishes the pulse. */
async function followTo({ build }: Pipeline, engine: Engine, sources: readonly string[], at: number): Promise<void> {
  for (const source of sources)
    await (await engine.start(backfill, { id: source, args: [{ source, from: 0, to: at, keys: [] }] })).result()
  await build({ kind: 'publish', name: 'pulse', asOf: at })
}

test('a demo has a signal of each type when it is ready, and further ones within an hour of its world', async () => {
  // The large traders and the news do not depend on the crowd.
  const { upstream, pipeline, engine } = await openDemo(
    1,
    sized({ traders: 0.1, matches: 0.12 }, { traders: 0.2, matches: 0.25 }, { traders: 0.35, matches: 0.5 }),
  )
  await storePastPosts(pipeline.lake, demoPosts(1, upstream.now), { to: upstream.now, hash })
  const said: string[] = []
  const chains = {
    settings: {},
    made: Promise.resolve('no chains'),
    run: () => undefined,
    close: async () => undefined,
  }
  const stop = new AbortController()
  await runFirstCycle(pipeline, engine, { upstream, chains, say: (line) => said.push(line), signal: stop.signal })
  expect(await signalsOf(pipeline)).toEqual(['market up', 'signal together SOL', 'social burst SOL', 'wallet entry'])
  expect(said.length).toBeLessThan(10)

  const odds = pipeline.sources.filter(({ name }) => /^polymarket_(odds|trades)$/.test(name)).map(({ name }) => name)
  for (const minutes of [30, 50]) {
    const at = upstream.now + 60 * minutes * SECOND
    await upstream.set(at)
    await followTo(pipeline, engine, odds, at)
  }
  const signals = await signalsOf(pipeline)
  expect(signals).toContain('market down')
  expect(signals.filter((name) => name === 'wallet entry')).toHaveLength(2)
})

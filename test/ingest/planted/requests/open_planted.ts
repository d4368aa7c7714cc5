import { openWorkingEngine } from '#bin/wiring/engine.ts'
import { openPipeline, type Pipeline } from '#bin/wiring/pipeline.ts'
import { worldSettings, type SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { parseConfig, type Config } from '#config.ts'
import type { Engine } from '#engine/engine.ts'
import type { Source } from '#ingest/source.ts'
import type { Clock } from '#time.ts'
import { backfill, type Progress } from '#workflows/backfill.ts'

import { plantedCalls } from './planted_calls.ts'
import { plantedPages } from './planted_pages.ts'
import { begin } from './planted_rows.ts'

/** The list of planted sources: each costs a file and a line. */
export const plantedSources: readonly Source[] = [plantedPages, plantedCalls]

export type Planted = { pipeline: Pipeline; engine: Engine; config: Config; close: () => Promise<void> }

type Settings = {
  home: string
  world: SimulatedWorld
  clock: Clock
  speed?: number
  /** Undefined: the variable is not set. */
  key?: string | undefined
  /** More variables. */
  env?: Record<string, string>
}

/** A pipeline of the planted sources alone, configured by environment variables and opened as the commands open one. */
export async function openPlanted({ home, world, clock, speed = 1, key, env: more }: Settings): Promise<Planted> {
  const env = {
    ...worldSettings(world),
    TAPELINE_HOME: home,
    TAPELINE_THREADS: '2',
    TAPELINE_MEMORY: '1GB',
    ...(key === undefined ? {} : { PLANTED_KEY: key }),
    ...more,
  }
  const config = parseConfig(env, plantedSources)
  const open = (given: object) => openPipeline(config, { ...given, clock, speed })
  const { pipeline, engine } = await openWorkingEngine(config, open)
  const close = async (): Promise<void> => {
    await engine.close()
    await pipeline.close()
  }
  return { pipeline, engine, config, close }
}

/** Backfills the planted sources up to an instant. */
export async function ingestPlanted({ engine }: Pick<Planted, 'engine'>, to: number): Promise<Progress[]> {
  const done: Progress[] = []
  for (const { name } of plantedSources) {
    const request = { source: name, from: begin, to, keys: [] }
    done.push(await (await engine.start(backfill, { id: `backfill-${name}`, args: [request] })).result())
  }
  return done
}

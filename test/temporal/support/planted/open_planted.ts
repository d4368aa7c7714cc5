import { readFileSync } from 'node:fs'

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { plantedLogs } from '#test/ingest/planted/planted_logs.ts'
import { plantedStream } from '#test/ingest/planted/planted_stream.ts'
import { key } from '#test/ingest/planted/requests/fake_upstream.ts'
import { plantedSources } from '#test/ingest/planted/requests/open_planted.ts'
import { openWorking, type Working } from '#test/temporal/support/engines.ts'
import { machineClock, type Micros } from '#time.ts'

/**
 * All workers have one clock. `ahead`: the time of the world minus the time of the machine. `clock`: a file that holds
 * the time of the world.
 */
export type PlantedSettings = {
  home: string
  upstream: SimulatedWorld
  n_chains: number
} & ({ ahead: Micros } | { clock: string })

/** The planted sources of all kinds and the engine at an address; undefined: the embedded engine. */
export const openPlanted = ({
  home,
  upstream,
  n_chains,
  address,
  ...time
}: PlantedSettings & { address: string | undefined }): Promise<Working> =>
  openWorking({
    home,
    upstream,
    address,
    clock: 'clock' in time ? () => Number(readFileSync(time.clock, 'utf8')) : () => machineClock() + time.ahead,
    sources: [plantedLogs(n_chains), plantedStream, ...plantedSources],
    env: { PLANTED_KEY: key },
  })

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { plantedLogs } from '#test/activities/planted/planted_logs.ts'
import { plantedStream } from '#test/activities/planted/planted_stream.ts'
import { key } from '#test/activities/planted/requests/fake_upstream.ts'
import { plantedSources } from '#test/activities/planted/requests/open_planted.ts'
import { openWorking, type Working } from '#test/temporal/support/engines.ts'
import { machineClock, type Micros } from '#time.ts'

/** `ahead`: the time of the world minus the time of the machine, so that all workers have one clock. */
export type PlantedSettings = { home: string; upstream: SimulatedWorld; n_chains: number; ahead: Micros }

/** The planted sources of all kinds and the engine at an address; undefined: the embedded engine. */
export const openPlanted = ({
  home,
  upstream,
  n_chains,
  ahead,
  address,
}: PlantedSettings & { address: string | undefined }): Promise<Working> =>
  openWorking({
    home,
    upstream,
    address,
    clock: () => machineClock() + ahead,
    sources: [plantedLogs(n_chains), plantedStream, ...plantedSources],
    env: { PLANTED_KEY: key },
  })

import type { Get } from '#ingest/http/request.ts'
import type { Streams } from '#ingest/http/stream.ts'
import type { Clock } from '#time.ts'

/** The result of a probe: whether the fact held, and the evidence in words. */
export type Finding = { verdict: 'held' | 'not held' | 'undecided'; seen: string }

/** `listen_ms`: the time for which pushed messages are counted. */
export type ProbeTools = { get: Get; streams: Streams; clock: Clock; listen_ms: number }

/** A fact that the sources rest on and that documentation alone states. `run` tests it against the venue. */
export type Probe = { fact: string; run: (tools: ProbeTools) => Promise<Finding> }

/** The finding of a test that decides. */
export const decided = (isHeld: boolean, seen: string): Finding => ({ verdict: isHeld ? 'held' : 'not held', seen })

export const undecided = (seen: string): Finding => ({ verdict: 'undecided', seen })

/** Runs probes one after the other. A probe that fails decides nothing, and the others run. */
export async function* runProbes(
  probes: readonly Probe[],
  tools: ProbeTools,
): AsyncGenerator<Finding & Pick<Probe, 'fact'>> {
  for (const { fact, run } of probes) {
    const finding = await run(tools).catch((error: unknown) =>
      undecided(error instanceof Error ? error.message : String(error)),
    )
    yield { fact, ...finding }
  }
}

import type { BuildSettings } from '#builder/prepare.ts'
import { ofAccounts } from '#builder/pruning.ts'
import { queryModel } from '#builder/query_model.ts'
import type { Lake } from '#lake/lake.ts'
import type { Micros } from '#time.ts'

import { appendFound } from './append_found.ts'
import { parseCandidate, type Candidate } from './candidate.ts'
import { feedRowOf } from './feed_row.ts'

/** `clock` is the time of the world, `secret` makes the ids of signals. */
type Tools = { secret: Buffer; clock: () => Micros }

/**
 * Finds and publishes the signals as of an instant: they are appended to the dataset `feed` in one commit. A published
 * signal is never changed. A repetition finds the stored ones, and publishes none twice. Returns the number of new
 * ones: 0 also while another process publishes, and before the first scores.
 */
export const publishSignals = (lake: Lake, settings: BuildSettings, { secret, clock }: Tools): Promise<number> =>
  appendFound(
    lake,
    {
      dataset: 'feed',
      source: 'signals',
      lease: 'signals',
      find: () => findSignals(lake, settings),
      rowOf: (candidate, published_at) => feedRowOf(candidate, { secret, tick_at: settings.asOf, published_at }),
    },
    { clock, now: settings.now },
  )

/** The candidates that are published now, in a fixed order. */
async function findSignals(lake: Lake, settings: BuildSettings): Promise<Candidate[]> {
  const rows = await queryModel(
    lake,
    {
      model: 'metrics.candidates',
      slow: {
        publication: 'scores',
        marts: {
          'metrics.signal_traders': 'signal_traders',
          'metrics.signal_markets': 'signal_markets',
          'metrics.swap_candidates': 'signal_swaps',
          'metrics.burst_candidates': 'signal_bursts',
        },
      },
      prunes: [{ table: 'fills', hours: 2 }, ...['fills', 'activity', 'coverage'].flatMap(ofAccounts)],
    },
    settings,
  )
  const nameOf = ({ type, entity, direction }: Candidate): string => `${type} ${entity} ${direction}`
  return (rows ?? [])
    .map(parseCandidate)
    .filter(({ is_published }) => is_published)
    .toSorted((a, b) => a.score - b.score || (nameOf(a) < nameOf(b) ? -1 : 1))
}

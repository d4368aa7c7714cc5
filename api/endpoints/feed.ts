import { z } from 'zod'

import { tierNames, tiers, tiersUpTo, type Tier } from '#accounts/tiers.ts'
import { showAddress } from '#api/contract/address.ts'
import { defineList } from '#api/contract/define.ts'
import { notReady } from '#api/contract/errors.ts'
import { instant } from '#api/contract/instant.ts'
import { marketExample } from '#api/contract/watchlist_items.ts'
import type { Snapshot } from '#snapshots/marts.ts'

export const signalTypes = ['wallet', 'market', 'signal', 'social'] as const

const typeForm = `one of ${signalTypes.join(', ')}`

const signal = z
  .strictObject({
    id: z.string().meta({ description: 'The id of the signal, from which nothing else follows' }),
    type: z.enum(signalTypes).meta({ description: 'The kind of event' }),
    entity: z.string().meta({ description: 'The wallet, market or asset; masked below `tier_required`' }),
    summary: z.string().meta({ description: 'The event in words; only its headline below `tier_required`' }),
    timestamp: z.iso.datetime().meta({ description: 'The time of publication' }),
    tier_required: z.enum(tierNames).meta({ description: 'The least tier that sees the entity and the whole summary' }),
  })
  .meta({ id: 'Signal' })

export type Signal = z.output<typeof signal>

/**
 * The signals as a tier sees them: entity and summary are the mask and the headline above the tier. No other column
 * depends on either.
 */
export const signalsFor = (tier: Tier, { tables }: Snapshot): string => {
  if (!tables.has('feed')) throw notReady(noFeed)
  const seen = tiersUpTo(tier).map((name) => `'${name}'`)
  const isSeen = `tier_required in (${seen.join(', ')})`
  return `select rank, id, type, case when ${isSeen} then entity else entity_masked end as entity,
    case when ${isSeen} then summary else headline end as summary, timestamp, tier_required
    from marts.feed`
}

export const noFeed = 'the snapshot of the pulse is of a version without signals ("tapeline score" publishes a new one)'

/** A row of `signalsFor` as it is served. */
export const presentSignal = ({ id, type, entity, summary, timestamp, tier_required }: Signal): Signal => ({
  id,
  type,
  entity: showAddress(entity),
  summary,
  timestamp: new Date(Number(timestamp) / 1_000).toISOString(),
  tier_required,
})

export const feed = defineList({
  path: '/feed',
  summary: 'Signals, ranked',
  doc: `Returns the signals of 30 days by rank: log2(score) + \`timestamp\` / 6 hours, the highest first. A signal
that is 6 hours older needs twice the score for the same rank, so the order of two signals never changes.

A signal never changes, and \`timestamp\` rises strictly: a client that asks with \`since\` = the latest timestamp that it
has seen, and reads all pages, gets every signal once. A page has 50 signals by default.

Below \`tier_required\` a signal has all fields: \`summary\` is its headline, and \`entity\` is masked (\`0x12…ab\`,
\`market\`, \`asset\`).

**Stream.** \`Accept: text/event-stream\` streams signals as they are published, in the order of \`timestamp\`: events of
the type \`signal\` with the id of the signal and the same object as data. \`Last-Event-ID\` continues after that signal,
\`since\` begins after an instant; \`type\` applies, \`limit\` and \`cursor\` do not. A comment is sent every 15 seconds. The
stream ends when the key or its tier ends, and after a minute in which the client reads nothing; reconnect then with
\`Last-Event-ID\`. An account has at most ${tiers.free.streams} streams at once in the tier free, ${tiers.pro.streams} in pro
and ${tiers.enterprise.streams} in enterprise; a further one is a 429. While all places of a node are taken, the newest stream of the
account with the most ends for another account.`,
  reads: ['pulse'],
  pageSize: 50,
  isByTier: true,
  isStreamed: true,
  query: {
    type: z
      .enum(signalTypes, typeForm)
      .meta({ description: `The type of signals: ${typeForm}. Default: all.` })
      .optional(),
    since: instant('Only signals that were published after it'),
  },
  item: signal,
  example: {
    id: 'sig_o5mXQeYH2lq6cN0hVt9b3w',
    type: 'market',
    entity: marketExample,
    summary:
      'The odds of a market moved unusually fast. "Will the launch happen before July?" went from 0.412 to 0.934 ' +
      'within an hour, on 48,210 USD of volume. Score 71: chance of about 1 in 1,000,000.',
    timestamp: '2026-03-01T12:00:00.000Z',
    tier_required: 'free',
  },
  rows: ({ type, since }, snapshot, tier) => ({
    sql: `from (${signalsFor(tier, snapshot)}) where $type in ('', type) and timestamp > $since::timestamp`,
    params: { type: type ?? '', since: since?.shown.replace('Z', '') ?? '1970-01-01' },
    order: [{ column: 'rank', type: 'INTEGER' }],
  }),
  present: presentSignal,
})

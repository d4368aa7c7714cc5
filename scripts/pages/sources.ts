import { hosts } from '#activities/http/hosts.ts'
import type { Source } from '#activities/source.ts'
import { sources } from '#activities/sources.ts'

import { generated, page, table } from './markdown.ts'

/** `docs/sources.md`: what is read from the world. */
export const sourcesPage = (): string =>
  page(
    generated('`activities/sources.ts` and `activities/http/hosts.ts`'),
    '# Sources',
    intro,
    '## Hosts',
    'How often a host is asked at most, from its published limits with a margin. The address is overridden by the variable.',
    table(
      ['host', 'address', 'requests in 10 s', 'at once', 'variable'],
      Object.entries(hosts).map(([name, { url, requestsPer10s, concurrency }]) => [
        `\`${name}\``,
        url,
        String(requestsPer10s),
        String(concurrency),
        `\`${name.toUpperCase()}_URL\``,
      ]),
    ),
    '## All sources',
    table(
      ['source', 'fills', 'a unit is', 'precedence', 'lag', 'settles', 'upstreams'],
      sources.map(({ name, datasets, unit, precedence, lag_s, settle_s, parts }) => [
        `[${name}](#${name})`,
        datasets.map((dataset) => `[${dataset}](datasets.md#${dataset})`).join(', '),
        unit,
        String(precedence),
        duration(lag_s),
        duration(settle_s),
        [...new Set(parts.flatMap(({ upstreams }) => upstreams))].map((host) => `\`${host}\``).join(', '),
      ]),
    ),
    ...sources.map(section),
  )

const intro = `A source is one upstream feed: one file, one name, which is also its folder in the lake and the value of the column
\`source\`. It pulls **units**: the life of one market or account (\`life\`), one UTC hour of a stream (\`hour\`), or one
observation of state that changes (\`instant\`). \`tapeline backfill <source>\` reads the units of an interval,
\`tapeline reparse <source>\` reads them again from the stored responses.

**Precedence**: where two sources hold the same rows, those of the higher one count. **Lag**: how long the upstream may
take to show everything of an instant; younger rows are left for the next pull. **Settles**: how long after its end a unit
is read a last time and closed for good.`

const section = ({ name, doc, typical, grid_s }: Source): string =>
  page(
    `## ${name}`,
    doc.replaceAll(/\s+/g, ' ').trim(),
    `A unit takes about ${typical.requests} requests and ${typical.rows} rows, before anything was measured; observations ` +
      `fall on a grid of ${duration(grid_s)}.`,
  ).trimEnd()

const steps: [string, number][] = [
  ['d', 86_400],
  ['h', 3600],
  ['min', 60],
]

/** Seconds in the largest unit that divides them: `3 h`. */
function duration(seconds: number): string {
  const step = steps.find(([, size]) => seconds > 0 && seconds % size === 0)
  return step === undefined ? `${seconds} s` : `${seconds / step[1]} ${step[0]}`
}

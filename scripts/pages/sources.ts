import { defaultText, type Settings } from '#ingest/setting.ts'
import type { Part, Source } from '#ingest/source.ts'
import { declaredHosts } from '#sources/declared.ts'
import { sources } from '#sources/index.ts'

import { generated, page, table } from './markdown.ts'

/** `docs/sources.md`: the sources, their units and their hosts. */
export const sourcesPage = (): string =>
  page(
    generated('the sources of `sources/index.ts` and their hosts'),
    '# Sources',
    intro,
    '## Hosts',
    'The highest request rate of each host: its published limit with a margin. The variable overrides the address.',
    table(
      ['host', 'address', 'requests in 10 s', 'at once', 'variable', 'key'],
      declaredHosts(sources).map(({ name, url, requestsPer10s, concurrency, secret }) => [
        `\`${name}\``,
        url,
        String(requestsPer10s),
        String(concurrency),
        `\`${name.toUpperCase()}_URL\``,
        secret === undefined ? '' : `\`${secret.setting}\``,
      ]),
    ),
    '## All sources',
    table(
      ['source', 'fills', 'a unit is', 'precedence', 'lag', 'settles', 'upstreams'],
      sources.map(({ name, datasets, unit, precedence, lag_s, settle_s, parts }) => [
        `[${name}](#${name})`,
        datasets.map((dataset) => `\`${dataset}\``).join(', '),
        unit,
        String(precedence),
        duration(lag_s),
        duration(settle_s),
        [...new Set(parts.flatMap(upstreamsOf))].join(', '),
      ]),
    ),
    ...sources.map(section),
  )

/** The hosts of a part as documentation shows them. A chain has many, which the registry lists. */
const upstreamsOf = ({ chain, upstreams }: Part): string[] =>
  chain === undefined ? upstreams.map(({ name }) => `\`${name}\``) : ['[chains](chains.md)']

const intro = `A source reads one upstream API. Its name is its file, its folder in the lake and the value of the column \`source\`. It
reads **units**: the history of one market or account (\`history\`), one UTC hour of a feed (\`hour\`), one observation of
a changing list (\`observation\`), or a range of blocks of one chain (\`blocks\`). \`tapeline backfill <source>\` reads the
units of an interval; \`tapeline reparse <source>\` parses their raw responses again.

**Precedence**: if two sources hold the same rows, those with the higher precedence count. **Lag**: the longest delay
until the upstream shows all rows of an instant; younger rows are left for the next reading. **Settles**: the time from the
end of a unit to its last reading, after which it is closed.`

const section = ({ name, doc, typical, grid_s, settings }: Source): string =>
  page(
    `## ${name}`,
    doc.replaceAll(/\s+/g, ' ').trim(),
    `A unit takes about ${typical.requests} requests and has ${typical.rows} rows; stored units replace this estimate. ` +
      `Observations fall on a grid of ${duration(grid_s)}.`,
    ...(settings === undefined ? [] : [tableOf(settings)]),
  ).trimEnd()

const tableOf = (settings: Settings): string =>
  table(
    ['setting', 'default', 'effect'],
    Object.values(settings).map((setting) => [`\`${setting.name}\``, defaultText(setting), setting.doc]),
  )

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

import { coverage, datasets, quarantine, type Dataset } from '#lake/datasets/index.ts'

import { generated, notation, page } from './markdown.ts'

/** `docs/datasets.md`: the datasets of the lake with their columns. */
export const datasetsPage = (): string =>
  page(
    generated('`lake/datasets/`'),
    '# Datasets',
    intro,
    ...Object.values(datasets).map(section),
    '## About the datasets themselves',
    'Storing a unit writes these rows, for every source.',
    ...[coverage, quarantine].map(section),
  )

const intro = `A dataset holds facts as they were read, each stored once. Its files lie below
\`lake/<dataset>/v<version>/\`; the catalog lists those that count ([the lake](lake.md)). Coverage is a table of the
catalog. In \`tapeline.duckdb\` each dataset is a view of the schema \`lake\`, and coverage a table.

A column list reads \`key; rest\`. The columns before the semicolon are the key, which identifies a row and orders the
file. A column with \`?\` may be null, which means unknown, never zero. Instants are UTC. \`DECIMAL(38,6)\` holds US dollars
or shares, \`DECIMAL(9,6)\` a price, ratio or percentage. \`source\` is the source that wrote the row.`

function section({ name, version, doc, key, columns }: Dataset): string {
  const described = Object.entries(columns).map(([column, { sql, isNullable }]) => ({
    name: column,
    sql,
    isNullable,
    isKey: key.includes(column),
  }))
  // The order of a file is the order of its key, not that of the columns.
  const ordered = [...described].sort((a, b) => key.indexOf(a.name) - key.indexOf(b.name))
  const place = name === coverage.name ? 'In the catalog.' : `\`lake/${name}/v${version}\``
  return page(`## ${name}`, doc, place, notation(ordered)).trimEnd()
}

import { coverage, datasets, quarantine, type Dataset } from '#lake/datasets/index.ts'

import { generated, notation, page } from './markdown.ts'

/** `docs/datasets.md`: what a row of the lake is. */
export const datasetsPage = (): string =>
  page(
    generated('`lake/datasets/index.ts`'),
    '# Datasets',
    intro,
    ...Object.values(datasets).map(section),
    '## About the datasets themselves',
    'Written for every source by the one who stores its rows.',
    ...[coverage, quarantine].map(section),
  )

const intro = `Facts as they were read, one row each, stored once. A dataset lies below the home folder as
\`lake/<dataset>/v<version>/<source>/<part>/<unit>.parquet\`, a file a unit; coverage as one small \`.ndjson\` a unit.
In \`tapeline.duckdb\` each is a view of the schema \`lake\`.

A column list reads \`key; rest\`: up to the semicolon is the key, which identifies a row and orders the file; a column
with \`?\` may be null, which means unknown and never stands for zero. Instants are UTC. \`DECIMAL(38,6)\` holds US dollars
or shares, \`DECIMAL(9,6)\` a price, ratio or percentage. \`source\` is the name of the source that wrote the row.`

function section({ name, version, doc, key, columns }: Dataset): string {
  const described = Object.entries(columns).map(([column, { sql, isNullable }]) => ({
    name: column,
    sql,
    isNullable,
    isKey: key.includes(column),
  }))
  // The order of a file is the order of its key, not that of the columns.
  const ordered = [...described].sort((a, b) => key.indexOf(a.name) - key.indexOf(b.name))
  return page(`## ${name}`, doc, `\`lake/${name}/v${version}\``, notation(ordered)).trimEnd()
}

import { meaningsIn, type ColumnDocs } from '#builder/analysts/comments.ts'
import { buildColumns } from '#builder/build_meta.ts'
import { builtinTables } from '#builder/builtin_tables.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadScoring } from '#scoring/index.ts'

import { generated, page, table } from './markdown.ts'

/** The tables of the analysts' file with the names of their columns, as `schema.table`. */
export async function describedTables(): Promise<Map<string, string[]>> {
  const names = (of: readonly { name: string }[]): string[] => of.map(({ name }) => name)
  const models = (await loadScoring()).filter((model) => model.kind === 'sql')
  return new Map([
    ...Object.values({ ...datasets, coverage, quarantine }).map(
      (dataset) => [`lake.${dataset.name}`, Object.keys(dataset.columns)] as const,
    ),
    ...Object.entries(builtinTables).map(([name, given]) => [name, names(given)] as const),
    ...models.map((model) => [`${model.layer}.${model.name}`, names(model.columns)] as const),
    ['meta.build', names(buildColumns)],
  ])
}

/** The meanings of all columns, of the dictionary and of the headers of models. */
export const allMeanings = async (): Promise<ColumnDocs> => meaningsIn(columns, await loadScoring())

/** `docs/columns.md`: the dictionary of columns. */
export async function columnsPage(): Promise<string> {
  const rows = Object.entries(await allMeanings())
    .toSorted(([a], [b]) => (columnIn(a) < columnIn(b) ? -1 : columnIn(a) > columnIn(b) ? 1 : a < b ? -1 : 1))
    .map(([key, meaning]) => [`\`${columnIn(key)}\``, tableIn(key), meaning])
  return page(generated('`scoring/columns/`'), '# Columns', intro, table(['column', 'table', 'meaning'], rows))
}

const columnIn = (key: string): string => key.slice(key.indexOf('.') + 1)
const tableIn = (key: string): string => (key.includes('.') ? `\`${key.slice(0, key.indexOf('.'))}\`` : '')

const intro = `The columns of all tables in [the analysts' file](running.md#the-analysts-file), which has these texts as comments. A
line with a table holds in the tables of that name, a line without one in all others. [Datasets](datasets.md) and
[metrics](metrics.md) list the columns of each table with their types. Units follow from the name: \`*_usd\` is US
dollars, \`size\` shares of an outcome, \`amount\` raw units of a token, \`*_s\` seconds, \`*_rate\` and \`*_share\` ratios from 0
to 1, \`*_pct\` percent, \`*_points\` percentage points. Instants are UTC.`

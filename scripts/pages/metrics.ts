import { DuckDBInstance } from '@duckdb/node-api'

import { tablesOf, tablesRead } from '#builder/dag.ts'
import { layers, type Model } from '#builder/model.ts'
import { loadScoring } from '#scoring/index.ts'

import { generated, notation, page } from './markdown.ts'

const contracts: Record<(typeof layers)[number], string> = {
  staging: 'Facts up to the clock, renamed and cast, from the source that counts.',
  core: 'The shared tables: fills, positions, markets, odds.',
  metrics: 'Exact numbers with their sample sizes.',
  marts: 'The tables that the API serves, rounded as served.',
}

/** `docs/metrics.md`: every derived table, from the headers of `scoring/`. */
export async function metricsPage(): Promise<string> {
  const models = await loadScoring()
  const instance = await DuckDBInstance.create()
  const connection = await instance.connect()
  try {
    const makers = new Map(models.flatMap((model) => tablesOf(model).map((made) => [made, model] as const)))
    const sections: string[] = []
    for (const layer of layers) {
      sections.push(`## ${layer}`, contracts[layer])
      for (const model of models.filter((of) => of.layer === layer).sort(byName)) {
        const reads = await tablesRead(connection, `${layer}.${model.name}`, model.sql)
        sections.push(section(model, reads.map(link(makers))))
      }
    }
    return page(generated('the headers of `scoring/**/*.sql`'), '# Tables and metrics', intro, ...sections)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const intro = `These tables are derived from the [datasets](datasets.md) and can be deleted and rebuilt: the same lake as of the same
instant gives the same rows. Each file of \`scoring/\` defines a table. A layer reads itself and earlier layers.
\`core.clock\` holds the instant of a build. Column lists have the notation of [datasets](datasets.md);
[scoring](scoring.md) has the formulas in words. Tables that are named below a heading, such as \`core.lot_rows\`, are steps
of code. Other tables hold what follows from them; the [analysts' file](running.md#the-analysts-file) leaves them out.`

const byName = (a: Model, b: Model): number => (a.name < b.name ? -1 : 1)

function section(model: Model, reads: string[]): string {
  const outputs = model.kind === 'sql' ? { [model.name]: model.columns } : model.outputs
  const tables = Object.entries(outputs).flatMap(([name, columns]) =>
    model.kind === 'sql' ? [notation(columns)] : [`\`${model.layer}.${name}\``, notation(columns)],
  )
  const from = reads.length === 0 ? 'Reads nothing.' : `Reads ${reads.join(', ')}.`
  return page(`### ${model.layer}.${model.name}`, paragraph(model.doc), ...tables, from).trimEnd()
}

/** A header as Markdown: a paragraph becomes one line, an indented list a block of code. */
const paragraph = (doc: string): string =>
  doc
    .split(/\n\s*\n/)
    .map((part) =>
      part.startsWith('  ') ? `\`\`\`\n${part.replaceAll(/^ {2}/gm, '')}\n\`\`\`` : part.replaceAll(/\s+/g, ' ').trim(),
    )
    .join('\n\n')

/** A table as a link to its model's section, or to the page of datasets. */
const link =
  (makers: ReadonlyMap<string, Model>) =>
  (name: string): string => {
    const maker = makers.get(name)
    if (maker !== undefined) return `[${name}](#${maker.layer}${maker.name})`
    return name.startsWith('lake.') ? `[${name}](datasets.md#${name.slice('lake.'.length)})` : `\`${name}\``
  }

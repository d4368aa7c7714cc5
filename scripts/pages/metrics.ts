import { DuckDBInstance } from '@duckdb/node-api'

import { tablesOf, tablesRead } from '#models/dag.ts'
import { layers, type Model } from '#models/model.ts'
import { loadScoring } from '#scoring/index.ts'

import { generated, notation, page } from './markdown.ts'

const contracts: Record<(typeof layers)[number], string> = {
  staging: 'Renames, casts, picks the source that counts, and reads nothing later than the clock.',
  core: 'The shared language: fills, positions, markets, odds.',
  metrics: 'Numbers, with their sample size, exact.',
  marts: 'What the API serves, rounded as it is served.',
}

/** `docs/metrics.md`: every table that is derived, from the headers of `scoring/`. */
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

const intro = `Everything here is derived from the [datasets](datasets.md) and can be deleted and built again: the same lake as of the
same instant gives the same rows. A file of \`scoring/\` is a table. A layer reads itself and earlier ones. \`core.clock\`
holds the instant that a build is as of. Column lists read as in [datasets](datasets.md); the formulas in plain words are
in [scoring](scoring.md).`

const byName = (a: Model, b: Model): number => (a.name < b.name ? -1 : 1)

function section(model: Model, reads: string[]): string {
  const outputs = model.kind === 'sql' ? { [model.name]: model.columns } : model.outputs
  const tables = Object.entries(outputs).flatMap(([name, columns]) =>
    model.kind === 'sql' ? [notation(columns)] : [`\`${model.layer}.${name}\``, notation(columns)],
  )
  const from = reads.length === 0 ? 'Reads nothing.' : `Reads ${reads.join(', ')}.`
  return page(`### ${model.layer}.${model.name}`, paragraph(model.doc), ...tables, from).trimEnd()
}

/** One line a paragraph: the width of a header is not that of a page. */
const paragraph = (doc: string): string =>
  doc
    .split(/\n\s*\n/)
    .map((part) => part.replaceAll(/\s+/g, ' ').trim())
    .join('\n\n')

/** A table as a link to the section of the model that makes it; those of the lake are on another page. */
const link =
  (makers: ReadonlyMap<string, Model>) =>
  (name: string): string => {
    const maker = makers.get(name)
    if (maker !== undefined) return `[${name}](#${maker.layer}${maker.name})`
    return name.startsWith('lake.') ? `[${name}](datasets.md#${name.slice('lake.'.length)})` : `\`${name}\``
  }

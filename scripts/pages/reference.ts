import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'

import { builtinTables } from '#builder/builtin_tables.ts'
import { layers } from '#builder/model.ts'
import { coverage, datasets, quarantine } from '#lake/datasets/index.ts'
import { loadScoring } from '#scoring/index.ts'

import { fill, wrap } from './markdown.ts'

const place = resolve(import.meta.dirname, '..', '..', 'docs', 'reference.md')

/** `docs/reference.md`: a handwritten page. Its lists of tables, between marks, are rendered. */
export async function referencePage(): Promise<string> {
  const models = await loadScoring()
  const tables = layers.map((layer) => {
    const names = models.filter((model) => model.layer === layer).map(({ name }) => name)
    return `- \`${layer}\`: ${list(names)}`
  })
  const page = fill(await readFile(place, 'utf8'), 'datasets', list(Object.keys({ ...datasets, coverage, quarantine })))
  const builtin = `- built in: ${list(Object.keys(builtinTables))}`
  return fill(page, 'tables', [...tables, builtin].join('\n'))
}

/** The names in the order of the alphabet; a long list continues on indented lines. */
const list = (names: readonly string[]): string =>
  wrap(
    names
      .toSorted()
      .map((name) => `\`${name}\``)
      .join(', '),
  ).join('\n  ')

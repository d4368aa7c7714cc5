import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'

import { materializing, publicationNamed, publicationNames } from '#snapshots/publications.ts'

import { parseColumns } from './columns.ts'
import { layers, ModelError, type FoldModel, type Layer, type Macro, type Model, type SqlModel } from './model.ts'
import { parsePruning } from './pruning.ts'

/**
 * Loads the models of a folder: every `<layer>/<domain>/<name>.sql`, without the inputs of the folds. The domain
 * folders only group files. A table is `<layer>.<name>`, so a name is unique in its layer.
 */
export async function loadModels(folder: string, folds: readonly FoldModel[]): Promise<Model[]> {
  const models: Model[] = [...folds]
  for (const layer of layers) {
    for (const { name, path } of await sqlFiles(join(folder, layer))) {
      if (folds.some((fold) => fold.layer === layer && fold.name === name)) continue
      if (models.some((model) => model.layer === layer && model.name === name)) {
        throw new ModelError(`${layer}/${name}.sql: the name is used twice; expected one file a table`)
      }
      models.push(parseModel(layer, name, await readFile(path, 'utf8')))
    }
  }
  return models
}

/** The SQL files below a folder, in the order of their names. */
async function sqlFiles(folder: string): Promise<{ name: string; path: string }[]> {
  const paths = await readdir(folder, { recursive: true })
  return paths
    .filter((path) => path.endsWith('.sql'))
    .map((path) => ({ name: basename(path, '.sql'), path: join(folder, path) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/**
 * Parses a model's file: comment lines, a line `-- columns: …` in the notation of `parseColumns`, and one plain select.
 * The comment describes the rows and defines the numbers. A mart of a publication that does not materialize also has a
 * line `-- publication: pulse`, and optionally lines `-- prune: …` (`parsePruning`). A line `-- stored: no` makes a
 * table of another layer a view; a line `-- ordered: no` stores its rows as the select gives them. A line
 * `-- numbers: market_index by market_id` names the columns of a table that numbers things. A line
 * `-- column roi: …` states the meaning of a column that the dictionary of columns lacks.
 */
export function parseModel(layer: Layer, name: string, text: string): SqlModel {
  const { comment, sql } = splitHeader(text)
  const [words = '', notation] = comment.split(/^columns:/m)
  const doc = words
    .replace(publicationLine, '')
    .replace(storedLine, '')
    .replace(orderedLine, '')
    .replace(numbersLine, '')
    .replaceAll(pruneLines, '')
    .replaceAll(meaningLines, '')
  const fail = (reason: string): Error => new Error(`${layer}/${name}.sql: ${reason}`)
  if (notation === undefined) throw fail('header: no columns; expected a line "-- columns: key; rest"')
  if (doc.trim() === '') throw fail('header: no description; expected comment lines before the columns')
  if (sql === '') throw fail('select: missing; expected one plain select after the header')
  const [, named = materializing()] = publicationLine.exec(words) ?? []
  const publication = publicationNames().find((publicationName) => publicationName === named)
  if (publication === undefined)
    throw fail(`publication: unknown "${named}"; expected ${publicationNames().join(', ')}`)
  const { materializes } = publicationNamed(publication)
  if (!materializes && layer !== 'marts') throw fail('publication: only marts are published; expected no such line')
  const isStored = !storedLine.test(words)
  const [, number, numbered = ''] = numbersLine.exec(words) ?? []
  if (!isStored && layer === 'marts') throw fail('stored: a mart is a table; expected no such line')
  const isOrdered = !orderedLine.test(words)
  if (!isOrdered && (layer === 'marts' || !isStored)) throw fail('ordered: no derived table; expected no such line')
  const pruned = [...words.matchAll(pruneLines)].map(([, rows = '']) => rows)
  if (pruned.length > 0 && materializes) {
    throw fail(`prune: ${publication} needs every row; expected a mart of another publication`)
  }
  try {
    const prunes = pruned.flatMap(parsePruning)
    const columns = parseColumns(notation)
    const meanings = Object.fromEntries(
      [...words.matchAll(meaningLines)].map(([, column = '', meaning = '']) => [column, meaning]),
    )
    const other = Object.keys(meanings).find((column) => !columns.some((candidate) => candidate.name === column))
    if (other !== undefined) throw new Error(`column ${other}: not in the table; expected a name of the line "columns"`)
    return {
      kind: 'sql',
      layer,
      name,
      doc: doc.trim(),
      meanings,
      columns,
      sql,
      publication,
      isStored,
      isOrdered,
      numbers: number === undefined ? null : { number, name: numbered },
      prunes,
    }
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error))
  }
}

const publicationLine = /^publication: *(.*)\n/m
const numbersLine = /^numbers: *([a-z_]+) by ([a-z_]+)\n/m
const storedLine = /^stored: no\n/m
const orderedLine = /^ordered: no\n/m
const pruneLines = /^prune: *(.*)\n/gm
const meaningLines = /^column ([a-z]\w*): *(.*)\n/gm

/** Loads the macros of a folder: every `<name>.sql`. */
export async function loadMacros(folder: string): Promise<Macro[]> {
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort()
  return Promise.all(
    files.map(async (file) => parseMacro(file.slice(0, -'.sql'.length), await readFile(join(folder, file), 'utf8'))),
  )
}

/**
 * Parses a macro's file: comment lines with its documentation, `-- parameter: …`, optionally `-- options: …`,
 * `-- columns: …` and one plain select. The columns have the notation of `parseColumns` without a key, since the select
 * orders its rows.
 */
export function parseMacro(name: string, text: string): Macro {
  const { comment, sql } = splitHeader(text)
  const [, doc = '', parameter, options = '', notation] = header.exec(comment) ?? []
  const fail = (reason: string): Error => new Error(`${name}.sql: ${reason}`)
  if (parameter === undefined || notation === undefined) {
    throw fail('header: incomplete; expected the lines "-- parameter: name" and "-- columns: names"')
  }
  if (doc.trim() === '') throw fail('header: no description; expected comment lines before the parameter')
  if (sql === '') throw fail('select: missing; expected one plain select after the header')
  try {
    const columns = parseColumns(notation).map(({ name: column, sql: type, isNullable }) => ({
      name: column,
      sql: type,
      isNullable,
    }))
    return { name, parameter, options: options.match(/[a-z_]+/g) ?? [], doc: doc.trim(), columns, sql }
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error))
  }
}

const header = /^(.*)^parameter: *([a-z_]+)\n+(?:options: *([a-z_, ]+)\n+)?columns:(.*)$/ms

/** A file's leading comment without its dashes, and the select after it without a closing semicolon. */
export function splitHeader(text: string): { comment: string; sql: string } {
  // In a file without a select, the empty last line ends the header.
  const lines = [...text.split('\n'), '']
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const comment = lines.slice(0, end).map((line) => line.replace(/^-- ?/, ''))
  return { comment: comment.join('\n'), sql: lines.slice(end).join('\n').trim().replace(/;$/, '').trim() }
}

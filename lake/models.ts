import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { layers, publishes, type FoldModel, type Layer, type Model, type SqlModel } from './model.ts'
import { parseColumns } from './notation.ts'

/** Loads the models of a folder: every `<layer>/<name>.sql`, with the folds taking the inputs that are theirs. */
export async function loadModels(folder: string, folds: readonly FoldModel[]): Promise<Model[]> {
  const models: Model[] = [...folds]
  for (const layer of layers) {
    const names = (await readdir(join(folder, layer))).filter((name) => name.endsWith('.sql')).sort()
    for (const file of names) {
      const name = file.slice(0, -'.sql'.length)
      if (folds.some((fold) => fold.layer === layer && fold.name === name)) continue
      models.push(parseModel(layer, name, await readFile(join(folder, layer, file), 'utf8')))
    }
  }
  return models
}

/**
 * Parses a model's file: comment lines that say what a row is and what the numbers mean, of a mart that is not one of
 * `scores` a line `-- publish: pulse`, then `-- columns: …` in the notation of `parseColumns`, then one plain select.
 */
export function parseModel(layer: Layer, name: string, text: string): SqlModel {
  const { comment, sql } = splitHeader(text)
  const [words = '', notation] = comment.split(/^columns:/m)
  const doc = words.replace(publishLine, '')
  const fail = (reason: string): Error => new Error(`${layer}/${name}.sql: ${reason}`)
  if (notation === undefined) throw fail('the header lacks a line "-- columns: key; rest"')
  if (doc.trim() === '') throw fail('the header does not say what a row is')
  if (sql === '') throw fail('there is no select after the header')
  const [, said = 'scores'] = publishLine.exec(words) ?? []
  const publish = publishes.find((one) => one === said)
  if (publish === undefined) throw fail(`"publish: ${said}" is none of ${publishes.join(', ')}`)
  if (publish !== 'scores' && layer !== 'marts') throw fail('only marts are published')
  try {
    return { kind: 'sql', layer, name, doc: doc.trim(), columns: parseColumns(notation), sql, publish }
  } catch (error) {
    throw fail(error instanceof Error ? error.message : String(error))
  }
}

const publishLine = /^publish: *(.*)\n/m

/** A file's leading comment without its dashes, and the select after it without a closing semicolon. */
export function splitHeader(text: string): { comment: string; sql: string } {
  // The empty line at the end is where a file without a select ends its header.
  const lines = [...text.split('\n'), '']
  const end = lines.findIndex((line) => !line.startsWith('--'))
  const comment = lines.slice(0, end).map((line) => line.replace(/^-- ?/, ''))
  return { comment: comment.join('\n'), sql: lines.slice(end).join('\n').trim().replace(/;$/, '').trim() }
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { openRecordings } from '#test/recordings/folder.ts'

/** The recordings of chains. */
export const { folder, isRecorded } = openRecordings('onchain')

export const readText = (path: string): string => readFileSync(join(folder, path), 'utf8')
export const readJson = (path: string): unknown => JSON.parse(readText(path))
export const readLines = (path: string): unknown[] =>
  readText(path)
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line))

/** The rows of a CSV file as objects. Fields in quotes may hold commas. */
export function readCsv(path: string): Record<string, string>[] {
  const [header = '', ...lines] = readText(path).trim().split('\n')
  const names = header.split(',')
  return lines.map((line) => {
    const fields = [...line.matchAll(/(?:^|,)(?:"([^"]*)"|([^,]*))/g)].map(([, quoted, plain]) => quoted ?? plain ?? '')
    return Object.fromEntries(names.map((name, n) => [name, fields[n] ?? '']))
  })
}

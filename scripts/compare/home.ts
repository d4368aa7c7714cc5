import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'

import { z } from 'zod'

import { masked } from './evidence.ts'
import { readLake, type Lake } from './lake.ts'
import { analystsTables, contentHashes, openTables, type Tables } from './tables.ts'

/** A home that commands have filled, opened for reading. */
export type Home = {
  files: string[]
  lake: Lake
  /** The rows of the datasets as the catalog counts them. */
  rows: Tables
  /** The tables of the analysts' file. */
  analysts: Tables
  close: () => void
}

const analystsFile = 'tapeline.duckdb'
const pointers = z.record(z.string(), z.string())

export async function openHome(home: string): Promise<Home> {
  const lake = readLake(home)
  const rows = await openTables(undefined, async () => lake.relations)
  const analysts = await openTables(join(home, analystsFile), analystsTables)
  const close = (): void => {
    rows.close()
    analysts.close()
  }
  return { files: await filesIn(home), lake, rows, analysts, close }
}

/** The files of a home, without those of open databases and unfinished ones. */
async function filesIn(home: string): Promise<string[]> {
  const entries = await readdir(home, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile() && !/-(wal|shm|journal)$/.test(entry.name))
    .map((entry) => relative(home, join(entry.parentPath, entry.name)))
    .filter((path) => !path.startsWith('scratch/'))
}

/** The digest of its bytes ends the name of a file of the lake. They hold the proof of its unit beside the rows. */
const digest = /\.[\da-f]{12}(?=\.parquet$)/

/** By path without a digest: how many files have it, and their digests. */
export function pathsOf(files: readonly string[]): { paths: Map<string, string>; files: Map<string, string> } {
  const counts = new Map<string, number>()
  const digests = new Map<string, string>()
  for (const file of files.toSorted()) {
    const path = masked(file).replace(digest, '.<digest>')
    const [stored] = digest.exec(file) ?? []
    counts.set(path, (counts.get(path) ?? 0) + 1)
    if (stored !== undefined) digests.set(path, `${digests.get(path) ?? ''}${stored}`)
  }
  return { paths: new Map([...counts].map(([path, n]) => [path, String(n)])), files: digests }
}

/** The content hashes of the published snapshots, which `current.json` names, and of the analysts' file. */
export async function hashesOf(home: string, files: readonly string[]): Promise<Map<string, string>> {
  const pointer = files.find((path) => path.endsWith('/current.json'))
  if (pointer === undefined) throw new Error(`${home}: no current.json; expected published snapshots`)
  const current = pointers.parse(JSON.parse(await readFile(join(home, pointer), 'utf8')))
  const published = Object.entries(current).map(([name, id]): [string, string] => [
    name,
    `${dirname(pointer)}/${id}.duckdb`,
  ])
  const hashes = new Map<string, string>()
  for (const [name, path] of [...published, ['analysts', analystsFile] as const])
    for (const [table, hash] of await contentHashes(join(home, path))) hashes.set(`${name} ${table}`, hash)
  return hashes
}

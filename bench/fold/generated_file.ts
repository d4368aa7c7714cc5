import { existsSync } from 'node:fs'
import { mkdir, rename } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'

/** The threads and the memory of a DuckDB that a benchmark opens. */
export type Limits = { threads: number; memory: string }

/**
 * A Parquet file with the rows of a select, in their order. It is written once and stays in the temporary folder.
 * `name` changes with the select, so that a file of another select is not reused.
 */
export async function generatedFile(name: string, select: string, { threads, memory }: Limits): Promise<string> {
  const folder = join(tmpdir(), 'tapeline-bench')
  const file = join(folder, `${name}.parquet`)
  if (existsSync(file)) return file
  await mkdir(folder, { recursive: true })
  const instance = await openDuckDB({ threads, memory, scratch: join(folder, 'scratch') })
  try {
    await withConnection(instance, async (connection) => {
      await connection.run('set preserve_insertion_order = true')
      await connection.run(`copy (${select}) to ${literal(`${file}.unfinished`)} (format parquet, compression zstd)`)
    })
  } finally {
    instance.closeSync()
  }
  await rename(`${file}.unfinished`, file)
  return file
}

/** A number in [0, 1) for each value of `x`; `salt` makes uses independent. */
export const chance = (x: string, salt: number): string => `(hash(${x} * 64 + ${salt}) / 18446744073709551616.0)`

/** That many hexadecimal digits, determined by `x`. */
export const hex = (x: string, digits: 40 | 64): string =>
  `'0x' || substr(md5(${x}) || md5('more' || ${x}), 1, ${digits})`

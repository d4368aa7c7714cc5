import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { DuckDBInstance } from '@duckdb/node-api'

import { openFolder } from '#storage/folder.ts'
import { sized } from '#test/run/sized.ts'

import { coverageOf } from './lakes.ts'

/** Somebody who reads a lake while it is written, again and again, and notes what is not as it must be at any moment. */
export type Lookout = { close: () => Promise<{ looks: number; complaints: string[] }> }

type Entry = { file: string; n_rows: number }

export async function openLookout(home: string): Promise<Lookout> {
  const storage = openFolder(home)
  const instance = await DuckDBInstance.create(':memory:', { threads: '1' })
  const connection = await instance.connect()
  /** Rows of every file that was read whole so far. */
  const counted = new Map<string, number>()
  const complaints: string[] = []
  let looks = 0

  /** Reads every value of files, and counts their rows. */
  const count = async (files: readonly string[]): Promise<void> => {
    for (const file of files) {
      const path = join(home, file).replaceAll("'", "''")
      const sql = `select count(*)::int, bit_xor(hash(t)) from read_parquet('${path}') t`
      const read = await connection.runAndReadAll(sql)
      counted.set(file, Number(read.getRows()[0]?.[0]))
    }
  }

  /** Every file that is listed can be read to its end, and every unit that is covered has its counted rows. */
  const look = async (): Promise<void> => {
    const covered = await entriesOf(home)
    const listed = (await storage.list('lake')).filter((file) => file.endsWith('.parquet'))
    await count(listed.filter((file) => !counted.has(file)))
    const there = new Set(listed)
    for (const { file, n_rows } of covered) {
      if (n_rows > 0 && !there.has(file)) complaints.push(`${file} is covered and is not there`)
      if (n_rows > 0 && there.has(file) && counted.get(file) !== n_rows) {
        complaints.push(`${file} has ${counted.get(file)} rows, and ${n_rows} by its coverage`)
      }
    }
    looks += 1
  }

  let isOpen = true
  const looking = (async () => {
    while (isOpen) {
      await look().catch((error: unknown) => complaints.push(String(error)))
      await sleep(sized(250, 100))
    }
  })()
  return {
    close: async () => {
      if (isOpen) {
        isOpen = false
        await looking
        connection.closeSync()
        instance.closeSync()
      }
      return { looks, complaints }
    },
  }
}

const entriesOf = async (home: string): Promise<Entry[]> =>
  Object.values(await coverageOf(home))
    .flat()
    .map((entry) => ({ file: String(entry['unit']), n_rows: Number(entry['n_rows']) }))

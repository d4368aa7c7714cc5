import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'

import { catalogRows } from '#test/pipeline/lakefiles.ts'
import { sized } from '#test/run/sized.ts'

/** A reader of a lake while it is written. It reads repeatedly, and notes each violation of an invariant. */
export type Lookout = { close: () => Promise<{ looks: number; complaints: string[] }> }

export async function openLookout(home: string): Promise<Lookout> {
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

  /** Every data file that counts can be read to its end, and every unit has the rows that its coverage states. */
  const look = async (): Promise<void> => {
    for (const { file, n } of catalogRows(home, dataFiles, fileShape)) {
      if (!counted.has(file)) await count([file])
      if (counted.get(file) !== n) complaints.push(`${file}: it has ${counted.get(file)} rows; expected ${n}`)
    }
    for (const { unit, covered, placed } of catalogRows(home, differences, differenceShape))
      complaints.push(`${unit}: it has ${placed} rows; expected ${covered}, as its coverage states`)
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

const fileShape = z.object({ file: z.string(), n: z.number() })
const dataFiles = `select 'lake/' || d.path || f.path as file, f.record_count as n
  from ducklake_data_file f join ducklake_table d using (table_id) where f.end_snapshot is null and f.record_count > 0`

const differenceShape = z.object({ unit: z.string(), covered: z.number(), placed: z.number().nullable() })
const differences = `select c.unit || ' ' || c.dataset as unit, c.n_rows as covered, r.n_rows as placed
  from tapeline_coverage c join ducklake_table d on d.table_name = c.dataset
  left join tapeline_rows r on r.unit = c.unit and r.table_id = d.table_id
  where c.end_snapshot is null and c.n_rows <> coalesce(r.n_rows, 0)`

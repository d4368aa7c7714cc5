// A process with the analysts' file open read-only. It answers each line of SQL with its rows, in JSON.
import { createInterface } from 'node:readline'

import { DuckDBInstance } from '@duckdb/node-api'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('usage: worker <file>')

const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' })
const connection = await instance.connect()
for await (const sql of createInterface(process.stdin)) {
  const reader = await connection.runAndReadAll(sql)
  process.stdout.write(`${JSON.stringify(reader.getRowObjectsJson())}\n`)
}
connection.closeSync()
instance.closeSync()

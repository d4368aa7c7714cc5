import { DuckDBInstance } from '@duckdb/node-api'

import { differentRows } from './agreement/different_rows.ts'

/**
 * `npx tsx scripts/agreement.ts <analysts' file>`: compares each row of the leaderboard of wallets with the profile of
 * its wallet and chain. The exit code is 1 if one differs, or if nothing is listed.
 */
const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('agreement: no file; expected the path of tapeline.duckdb')
const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
const connection = await instance.connect()
const rowsOf = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
const [listed, different] = [await rowsOf('from marts.discover'), await rowsOf(differentRows)]
process.stdout.write(`${listed.length} rows of discover, ${different.length} differ from wallet\n`)
for (const row of different) process.stdout.write(`${JSON.stringify(row)}\n`)
if (listed.length === 0 || different.length > 0) process.exitCode = 1

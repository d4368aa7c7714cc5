// Another client of the analysts' copy, as a process of its own, until it receives a signal: `read` opens it read-only
// and queries in a loop; `hold` opens it read-only and queries at the end; `open` and `write` open it for writing,
// which they should not, and `write` does write.
import { DuckDBInstance, type DuckDBConnection } from '@duckdb/node-api'

const [mode, file] = process.argv.slice(2)
if (file === undefined) throw new Error('usage: worker read|hold|open|write <file>')

const say = (what: unknown): void => void process.stdout.write(`${JSON.stringify(what)}\n`)
let isStopped = false
process.stdin.once('data', () => {
  isStopped = true
})

const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 25))
const untilStopped = async (): Promise<void> => {
  while (!isStopped) await pause()
}

async function open<T>(config: Record<string, string>, work: (connection: DuckDBConnection) => Promise<T>): Promise<T> {
  const instance = await DuckDBInstance.create(file, config)
  const connection = await instance.connect()
  try {
    return await work(connection)
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

/** Asks what must agree within one copy, some times over, so that the copy is replaced while it is open. */
async function look(connection: DuckDBConnection): Promise<void> {
  for (let n = 0; n < 3; n++) {
    const reader = await connection.runAndReadAll(
      `select (select n_rows from meta.build), (select count(*) from marts.bids), (select sum(n_bids) from marts.bids),
         (select count(*) from staging.seen), (select count(*) from lake.quotes where ts <= (select as_of from core.clock))`,
    )
    const [built, markets, bids, seen, quotes] = (reader.getRows()[0] ?? []).map(Number)
    if (built !== markets || bids !== seen || seen !== quotes) {
      throw new Error(`meta says ${built} of ${markets}, and of ${quotes} quotes ${seen} are seen and ${bids} counted`)
    }
  }
}

if (mode === 'read') {
  const failures: string[] = []
  let n_reads = 0
  say('begun')
  while (!isStopped) {
    await open({ access_mode: 'READ_ONLY', threads: '1' }, look).catch((error: unknown) => failures.push(String(error)))
    n_reads += 1
    await pause()
  }
  say({ n_reads, failures })
} else if (mode === 'hold') {
  await open({ access_mode: 'READ_ONLY' }, async (connection) => {
    say('holding')
    await untilStopped()
    const sql = `select (select sum(n_bids) from marts.bids), (select count(*) from staging.seen),
      (select count(*) from lake.quotes)`
    say({ seen: (await connection.runAndReadAll(sql)).getRowsJson()[0] })
  })
} else {
  await open({}, async (connection) => {
    if (mode === 'write') await connection.run('create or replace table mine as select range as x from range(1000)')
    say('holding')
    await untilStopped()
  })
  say('closed')
}
process.stdin.destroy()

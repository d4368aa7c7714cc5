import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { DuckDBInstance } from '@duckdb/node-api'
import { describe, expect, onTestFinished, test } from 'vitest'

import { status } from '#bin/commands/status.ts'
import { isAnalystsCopyHeld } from '#builder/analysts/copy.ts'
import { publishAll, type Published } from '#builder/publish.ts'
import { parseConfig } from '#config.ts'
import type { Lake } from '#lake/lake.ts'
import { stored } from '#lake/sql.ts'
import { currentSnapshot, snapshotPath } from '#snapshots/snapshot.ts'
import { runCommand } from '#test/bin/command.ts'
import { bidModels as models } from '#test/builder/fixture.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'

/** The number of publications while clients read. */
const n_published = sized(8, 8, 100)

/** Another process with the copy open. */
async function startClient(mode: 'read' | 'hold' | 'write' | 'open', lake: Lake) {
  const script = join(import.meta.dirname, '..', 'worker.ts')
  const child = spawn(process.execPath, [...loader, script, mode, copyOf(lake)])
  onTestFinished(() => void child.kill('SIGKILL'))
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const hear = async (): Promise<unknown> => {
    const { value, done } = await lines.next()
    if (done === true) throw new Error(`the client ended without a word: ${errors}`)
    return JSON.parse(value)
  }
  await hear()
  return {
    stop: async (): Promise<unknown> => {
      child.stdin.write('stop\n')
      return hear()
    },
    kill: async (): Promise<void> => {
      child.kill('SIGKILL')
      await once(child, 'exit')
    },
  }
}

const copyOf = (lake: Lake): string => lake.local.locate('tapeline.duckdb')
const logOf = (lake: Lake): Promise<boolean> =>
  stat(`${copyOf(lake)}.wal`).then(
    () => true,
    () => false,
  )

/** Publishes a lake whose head has been written anew, with `n` quotes. */
async function publish(lake: Lake, n: number): Promise<Published> {
  const rows = Array.from({ length: n }, (_, i) => quote(`m${i % 5}`, noon - i * 1_000_000))
  await storeRows(lake, lifeOf('0xa'), { quotes: rows })
  const settings = {
    models,
    macros: [],
    columns: {},
    asOf: noon,
    threads: 1,
    memory: '512MB',
    now: () => Date.now() * 1000,
  }
  return publishAll(lake, settings)
}

async function ask(file: string, sql: string): Promise<unknown[][]> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' })
  const connection = await instance.connect()
  try {
    return (await connection.runAndReadAll(sql)).getRowsJson()
  } finally {
    connection.closeSync()
    instance.closeSync()
  }
}

const quotesIn = async (file: string): Promise<number> =>
  Number((await ask(file, 'select sum(n_bids) from marts.bids'))[0]?.[0])

/** What `tapeline status --json` says of the copy. */
async function statusOf(home: string): Promise<unknown> {
  const { code, output } = await runCommand(status, ['--json'], parseConfig({ TAPELINE_HOME: home }))
  expect(code).toBe(0)
  return (JSON.parse(output) as { analysts_copy: unknown }).analysts_copy
}

describe("the analysts' copy", () => {
  test('holds marts and meta as tables and the rest as views, each with its words', async () => {
    const lake = await newLake()
    const { id } = await publish(lake, 7)
    const about = (kind: string) => `select schema_name || '.' || ${kind}_name, comment from duckdb_${kind}s()`
    const where = `where database_name = 'tapeline' and schema_name <> 'main' and not internal order by 1`
    expect(await ask(copyOf(lake), `${about('table')} ${where}`)).toEqual([
      ['core.chains', expect.stringContaining('A chain of the registry')],
      ['core.platforms', expect.stringContaining('A platform of the registry')],
      ['core.venues', expect.stringContaining('A venue of the registry')],
      ['lake.coverage', expect.stringContaining('The state of one unit of one dataset')],
      ['marts.bids', 'A market and its bids.'],
      ['meta.build', expect.stringContaining('A mart of a build')],
    ])
    const views = await ask(copyOf(lake), `${about('view')} ${where}`)
    expect(views).toContainEqual(['staging.seen', 'A quote as of the clock.'])
    expect(views).toContainEqual(['lake.quotes', expect.stringContaining('Prices of outcome 0 at an instant')])
    expect(views.map(([name]) => name)).toEqual([
      'core.clock',
      ...Object.keys(stored)
        .toSorted()
        .map((dataset) => `lake.${dataset}`),
      'staging.seen',
    ])
    expect(await ask(copyOf(lake), 'select snapshot_id from meta.build')).toEqual([[id]])
    expect((await stat(copyOf(lake))).mode & 0o777).toBe(0o444)
    expect((await stat(copyOf(lake))).ino).not.toBe((await stat(lake.local.locate(snapshotPath(id)))).ino)
  })

  test(`can be read all the time while it is published ${n_published} times`, async () => {
    const lake = await newLake()
    await publish(lake, 1)
    const client = await startClient('read', lake)
    for (let n = 1; n <= n_published; n++) expect(await publish(lake, n)).toMatchObject({ analystsCopy: 'published' })
    const { n_reads, failures } = (await client.stop()) as { n_reads: number; failures: string[] }
    expect(failures).toEqual([])
    expect(n_reads).toBeGreaterThan(n_published / 5)
    expect(await quotesIn(copyOf(lake))).toBe(n_published)
  })

  test('holds the files of its views for as long as a client has it open, and no longer', async () => {
    const lake = await newLake()
    await publish(lake, 3)
    const client = await startClient('hold', lake)
    for (let n = 4; n < 9; n++) await publish(lake, n)
    expect(await client.stop()).toEqual({ seen: ['3', '3', '3'] })
    for (let n = 9; n < 11; n++) await publish(lake, n)
    expect(await readdir(lake.local.locate('derived'))).toHaveLength(2)
  })
})

describe('a client that opens the copy for writing', () => {
  test.each(['write', 'open'] as const)('(%s) is waited for, and disturbs no publishing', async (mode) => {
    const lake = await newLake()
    await publish(lake, 3)
    expect(await statusOf(lake.home)).toBe('free')
    const client = await startClient(mode, lake)
    expect(await logOf(lake)).toBe(mode === 'write')
    expect(await isAnalystsCopyHeld(lake)).toBe(true)
    expect(await statusOf(lake.home)).toBe('held open for writing by a client')
    const published = await publish(lake, 8)
    expect(published.analystsCopy).toBe('waiting')
    expect(await currentSnapshot(lake.local, 'scores')).toBe(published.id)
    expect(await quotesIn(lake.local.locate(snapshotPath(published.id)))).toBe(8)
    expect(await client.stop()).toBe('closed')
    expect(await statusOf(lake.home)).toBe('free')
    expect(await publish(lake, 9)).toMatchObject({ analystsCopy: 'published' })
    expect(await quotesIn(copyOf(lake))).toBe(9)
    await expect(ask(copyOf(lake), 'from mine')).rejects.toThrow('mine does not exist')
  })

  test('and dies in it leaves a log behind, and both files are replaced', async () => {
    const lake = await newLake()
    const before = await publish(lake, 3)
    const client = await startClient('write', lake)
    await client.kill()
    expect(await logOf(lake)).toBe(true)
    expect(await statusOf(lake.home)).toBe('free')
    const published = await publish(lake, 8)
    expect(published.analystsCopy).toBe('published')
    expect(await logOf(lake)).toBe(false)
    expect(await quotesIn(copyOf(lake))).toBe(8)
    await expect(ask(copyOf(lake), 'from mine')).rejects.toThrow('mine does not exist')
    // The service serves other files, before and after.
    expect(await quotesIn(lake.local.locate(snapshotPath(before.id)))).toBe(3)
    expect(await quotesIn(lake.local.locate(snapshotPath(published.id)))).toBe(8)
  })
})

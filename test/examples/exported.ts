import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import { exportAnalystsFile } from '#builder/analysts/export.ts'
import { splitHeader } from '#builder/load.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { oncePerRun } from '#test/run/once.ts'
import { sized } from '#test/run/sized.ts'

/** A row of an answer, its values as JSON has them: decimals and 64-bit integers are text. */
export type Row = Record<string, unknown>

/** The world of these tests. */
export const world = createWorld({ seed: 5, scale: sized(0.03, 0.03, 0.06) })

/** The exported file of the world at its end, alone in its folder: the home of the lake is gone. */
export type ExportedWorld = { file: string; ask: (sql: string) => Promise<Row[]>; close: () => Promise<void> }

/** Opens the exported file of the world, which the tests of a run share. */
export async function openExported(): Promise<ExportedWorld> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-exported-'))
  const own = join(folder, 'world.duckdb')
  const file = (await oncePerRun('exported.duckdb', exportWorld)) ?? own
  if (file === own) await exportWorld(own)
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' })
  const connection = await instance.connect()
  return {
    file,
    ask: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJson(),
    close: async () => {
      connection.closeSync()
      instance.closeSync()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function exportWorld(file: string): Promise<void> {
  const upstream = await serveWorld({ world, clock: () => world.now })
  const home = await mkdtemp(join(tmpdir(), 'tapeline-examples-'))
  const house = await openTestPipeline(home, upstream, () => world.now)
  await ingestAll(house, world.now)
  await house.activities.publishAll({ asOf: null })
  await exportAnalystsFile(house.lake.local, file, { force: false, threads: 1, memory: '1GB' })
  await house.lake.close()
  await upstream.close()
  await rm(home, { recursive: true, force: true })
}

/** An example: its name, the question of its header, and its query. */
export type Example = { name: string; question: string; sql: string }

export async function loadExamples(): Promise<Example[]> {
  const folder = resolve(import.meta.dirname, '..', '..', 'examples')
  const files = (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
  return Promise.all(
    files.map(async (name) => {
      const { comment, sql } = splitHeader(await readFile(join(folder, name), 'utf8'))
      return { name: name.slice(0, -'.sql'.length), question: comment, sql }
    }),
  )
}

/** The query of an example. */
export function sqlOf(examples: readonly Example[], name: string): string {
  const found = examples.find((example) => example.name === name)
  if (found === undefined) throw new Error(`examples/${name}.sql: missing; expected an example`)
  return found.sql
}

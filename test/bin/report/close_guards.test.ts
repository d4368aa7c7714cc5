import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'

import { closeGuards, describeGuards } from '#bin/report/close_guards.ts'
import { pointerPath, snapshotPath } from '#snapshots/snapshot.ts'
import { withConnection } from '#storage/duckdb.ts'
import { openFolder } from '#storage/folder.ts'

/** A home whose served scores have this table of guards. */
async function homeWith(table: string) {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-guards-'))
  onTestFinished(() => rm(home, { recursive: true }))
  await mkdir(join(home, 'marts'))
  await writeFile(join(home, pointerPath), JSON.stringify({ scores: 'scores-a' }))
  const instance = await DuckDBInstance.create(join(home, snapshotPath('scores-a')))
  await withConnection(instance, async (connection) => {
    await connection.run(`create schema marts; create table marts.clv_guards as ${table}`)
  })
  instance.closeSync()
  return openFolder(home)
}

test('status names each guard that is not held, and what is missing by a broken one', async () => {
  const home =
    await homeWith(`from (values ('markout_24h', 'broken', 'markout_24h: slope 0.60'), ('event_start', 'held', null))
    as t (kind, state, reason)`)
  const guards = await closeGuards(home)
  expect(guards).toEqual([{ kind: 'markout_24h', state: 'broken', reason: 'markout_24h: slope 0.60' }])
  expect(
    describeGuards([...guards, { kind: 'event_start', state: 'warning', reason: 'event_start: slope 0.90' }]),
  ).toEqual([
    'closes    broken, so that clv_score is missing for these closes: markout_24h: slope 0.60',
    'closes    warning: event_start: slope 0.90',
  ])
})

test('no scores, and scores of an earlier version, name none', async () => {
  const home = await homeWith(`select 'event_start' as kind, 'all' as subset, false as is_held`)
  expect(await closeGuards(home)).toEqual([])
  await rm(join(home.locate(''), pointerPath), { force: true })
  expect(await closeGuards(home)).toEqual([])
})

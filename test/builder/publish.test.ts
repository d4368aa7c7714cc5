import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

import { describe, expect, onTestFinished, test } from 'vitest'

import { publish, publishAll } from '#builder/publish.ts'
import { withLease } from '#lake/catalog/lease.ts'
import type { Lake } from '#lake/lake.ts'
import type { PublicationName } from '#snapshots/publications.ts'
import { currentSnapshot, publicationOf, snapshotPath } from '#snapshots/snapshot.ts'
import { lifeOf, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'

import { ask, models } from './fixture.ts'

const minute = 60_000_000
/** The milliseconds between a pulse and the kill of each process. */
const waits_ms = sized([3, 40], [3, 40], [3, 40, 11, 77, 24, 58])

async function newHouse() {
  const lake = await newLake()
  await storeRows(lake, lifeOf('0xa'), { quotes: Array.from({ length: 50 }, (_, i) => quote(`m${i % 5}`, noon - i)) })
  const clock = { at: noon }
  const now = () => clock.at
  return {
    lake,
    clock,
    settings: { models, macros: [], columns: {}, asOf: noon, threads: 1, memory: '512MB', now },
  }
}

const idsOf = async (lake: Lake): Promise<unknown> =>
  JSON.parse((await lake.local.get('marts/current.json'))?.toString() ?? '{}')
const filesOf = async (lake: Lake, publication: PublicationName): Promise<string[]> =>
  (await lake.storage.list('marts'))
    .filter((path) => path.endsWith('.duckdb') && publicationOf(path.slice('marts/'.length)) === publication)
    .map((path) => path.slice('marts/'.length, -'.duckdb'.length))

describe('publishing', () => {
  test('of one changes nothing of the other', async () => {
    const { lake, settings } = await newHouse()
    const pulse = await publish(lake, 'pulse', settings)
    expect(await idsOf(lake)).toEqual({ pulse: pulse.id })
    const scores = await publish(lake, 'scores', settings)
    expect(await idsOf(lake)).toEqual({ pulse: pulse.id, scores: scores.id })
    const next = await publish(lake, 'pulse', settings)
    expect(await idsOf(lake)).toEqual({ pulse: next.id, scores: scores.id })
    expect(await filesOf(lake, 'scores')).toEqual([scores.id])
  })

  test('at once keeps the snapshots of both', async () => {
    const { lake, settings } = await newHouse()
    for (let n = 0; n < 5; n++) {
      const [pulse, scores] = await Promise.all([publish(lake, 'pulse', settings), publish(lake, 'scores', settings)])
      expect(await idsOf(lake)).toEqual({ pulse: pulse.id, scores: scores.id })
    }
  })

  test('of all is as of one instant, and lists all tables', async () => {
    const { lake, settings } = await newHouse()
    const published = await publishAll(lake, settings)
    expect(await idsOf(lake)).toEqual({ pulse: published.snapshots.pulse, scores: published.id })
    expect(published.tables.map(({ name }) => name)).toEqual(['bids', 'now'])
    for (const id of Object.values(published.snapshots)) {
      const file = lake.local.locate(snapshotPath(id))
      expect(await ask(file, 'select as_of from meta.build')).toEqual([['2026-11-20 13:05:00']])
    }
    const copy = 'select name, publication, snapshot_id from meta.build order by name'
    expect(await ask(lake.local.locate('tapeline.duckdb'), copy)).toEqual([
      ['bids', 'scores', published.id],
      ['now', 'pulse', published.snapshots.pulse],
    ])
  })

  test('of all waits for the pulse that is being published, and a pulse does not wait for scores', async () => {
    const { lake, settings } = await newHouse()
    const { both } = await withLease(lake.catalog, 'publication pulse', settings.now, async () => {
      const waiting = publishAll(lake, settings)
      await expect(publish(lake, 'pulse', settings)).rejects.toThrow('another process')
      expect(await idsOf(lake)).toEqual({})
      // Wrapped: to return the promise would be to wait for it.
      return { both: waiting }
    })
    const { id } = await both
    await withLease(lake.catalog, 'publication scores', settings.now, async () => {
      const { id: newer } = await publish(lake, 'pulse', settings)
      expect(await idsOf(lake)).toEqual({ pulse: newer, scores: id })
      await expect(publishAll(lake, settings)).rejects.toThrow('another process')
    })
  })

  test('keeps what is served if that is asked for, and replaces the analysts’ copy', async () => {
    const { lake, clock, settings } = await newHouse()
    const kept = { ...settings, keepServed: true }
    const first = await publishAll(lake, kept)
    const served = { pulse: first.snapshots.pulse, scores: first.id }
    expect(await idsOf(lake)).toEqual(served)
    clock.at += minute
    const past = await publishAll(lake, kept)
    expect(past.id).not.toBe(first.id)
    expect(await idsOf(lake)).toEqual(served)
    const copied = "select distinct snapshot_id from meta.build where publication = 'scores'"
    expect(await ask(lake.local.locate('tapeline.duckdb'), copied)).toEqual([[past.id]])
    clock.at += minute
    expect(await idsOf(lake)).toEqual(served)
    const { id } = await publish(lake, 'scores', settings)
    expect(await idsOf(lake)).toEqual({ ...served, scores: id })
  })

  test('deletes a replaced pulse after 15 minutes, and scores after a day or after the shorter time that is asked for', async () => {
    const { lake, clock, settings } = await newHouse()
    const pulses: string[] = []
    const scores: string[] = []
    for (let n = 0; n < 8; n++) {
      const { id, snapshots } = await publishAll(lake, settings)
      pulses.push(snapshots.pulse ?? '')
      scores.push(id)
      clock.at += 10 * minute
    }
    // At the last publication, the one before it was just replaced, and the earlier ones 10, 20, ... minutes before.
    expect(await filesOf(lake, 'pulse')).toEqual(pulses.slice(-3))
    expect(await filesOf(lake, 'scores')).toEqual(scores.slice(-8))
    await publishAll(lake, { ...settings, maxKeep_s: 25 * 60 })
    expect((await filesOf(lake, 'scores')).slice(0, -1)).toEqual(scores.slice(-3))
    // Cursors are valid for 15 minutes, whatever is asked for.
    await publishAll(lake, { ...settings, maxKeep_s: 1 })
    expect((await filesOf(lake, 'scores')).slice(0, -2)).toEqual(scores.slice(-2))
  })
})

describe('a process that is killed while it publishes pulses', () => {
  test('leaves a whole pulse current, with the same scores, and the next publication succeeds', async () => {
    const { lake, settings } = await newHouse()
    const { id: scores, tables } = await publishAll(lake, settings)
    const [expected] = tables.filter(({ name }) => name === 'now')
    const seen = new Set<string>()
    for (const [n, wait_ms] of waits_ms.entries()) {
      const ahead_s = 60 * n + 60
      const script = join(import.meta.dirname, 'pulse', 'worker.ts')
      const child = spawn(process.execPath, [...loader, script, lake.home, String(ahead_s)])
      onTestFinished(() => void child.kill('SIGKILL'))
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      expect((await lines.next()).value).toMatch(/^pulse-/)
      await sleep(wait_ms)
      child.kill('SIGKILL')
      await once(child, 'exit')
      const current = await currentSnapshot(lake.local, 'pulse')
      if (current === undefined) throw new Error('the pointer names no pulse')
      seen.add(current)
      expect(await currentSnapshot(lake.local, 'scores')).toBe(scores)
      // Whatever is listed is whole, also what the pointer does not name yet.
      for (const id of await filesOf(lake, 'pulse')) {
        const file = lake.local.locate(snapshotPath(id))
        expect(
          await ask(file, 'select snapshot_id, content_hash, (select count(*) from marts.now) from meta.build'),
        ).toEqual([[id, expected?.content_hash, '5']])
      }
    }
    expect(seen.size).toBe(waits_ms.length)
    const now = () => (Date.now() + 3_600_000) * 1_000
    await eventually(() => publish(lake, 'pulse', { ...settings, now }), 100)
    expect(seen).not.toContain(await currentSnapshot(lake.local, 'pulse'))
  })
})

import { describe, expect, test } from 'vitest'

import type { PublicationName } from '#snapshots/publications.ts'
import {
  currentSnapshot,
  pointTo,
  publicationOf,
  snapshotId,
  snapshotPath,
  sweepSnapshots,
} from '#snapshots/snapshot.ts'
import { openFolder } from '#storage/folder.ts'
import { newHome, noon } from '#test/lake/fixture.ts'

const minute = 60_000_000
const keep_s = 15 * 60

async function snapshots(ids: readonly string[], current: readonly string[], publication: PublicationName = 'scores') {
  const storage = openFolder(await newHome())
  for (const id of ids) await storage.put(snapshotPath(id), Buffer.from(id))
  for (const id of current) await pointTo(storage, id)
  const sweep = async (at: number): Promise<string[]> => {
    await sweepSnapshots(storage, { publication, now: at, keep_s })
    const left = await storage.list('marts')
    return ids.filter((id) => left.includes(snapshotPath(id)))
  }
  return { storage, sweep }
}

const after = (minutes: number, publication: PublicationName = 'scores') =>
  snapshotId(publication, noon + minutes * minute)

describe('the name of a snapshot', () => {
  test('names its publication and when it was made, and sorts by that', () => {
    expect(snapshotId('pulse', noon)).toMatch(/^pulse-20261120T130500Z-[0-9a-f]{8}$/)
    const ids = [0, 1, 60, 3_600, 86_400 * 40].map((s) => snapshotId('scores', noon + s * 1_000_000))
    expect(ids.toSorted()).toEqual(ids)
    expect(snapshotId('scores', noon)).not.toBe(snapshotId('scores', noon))
    expect([...ids.slice(0, 1), snapshotId('pulse', noon)].map(publicationOf)).toEqual(['scores', 'pulse'])
    // From before there were two.
    expect(publicationOf('20261120T130500Z-c06aec44')).toBe('scores')
  })

  test('is in the pointer once there is one, beside that of the other publication', async () => {
    const { storage } = await snapshots([], [])
    expect(await currentSnapshot(storage, 'scores')).toBeUndefined()
    for (const [scores, pulse] of [
      ['scores-1', undefined],
      ['scores-1', 'pulse-1'],
      ['scores-1', 'pulse-2'],
      ['scores-2', 'pulse-2'],
    ]) {
      if (scores !== undefined) await pointTo(storage, scores)
      if (pulse !== undefined) await pointTo(storage, pulse)
      expect([await currentSnapshot(storage, 'scores'), await currentSnapshot(storage, 'pulse')]).toEqual([
        scores,
        pulse,
      ])
    }
  })
})

describe('a sweep', () => {
  test('removes snapshots that were replaced longer ago than the limit, to the second', async () => {
    const [a, b, c] = [after(0), after(10), after(20)]
    const { sweep } = await snapshots([a, b, c], [c])
    expect(await sweep(noon + 25 * minute)).toEqual([a, b, c])
    expect(await sweep(noon + 25 * minute + 1_000)).toEqual([b, c])
    expect(await sweep(noon + 36 * minute)).toEqual([c])
    expect(await sweep(noon + 10_000 * minute)).toEqual([c])
  })

  test('never takes the current one, though another has the later name', async () => {
    const [a, later] = [after(0), after(1)]
    const { sweep } = await snapshots([a, later], [a])
    expect(await sweep(noon + 10_000 * minute)).toEqual([a, later])
  })

  test('concerns one publication: snapshots of the other publication replace nothing', async () => {
    const [scores, old, pulse] = [after(0), after(1, 'pulse'), after(2, 'pulse')]
    const both = [scores, old, pulse]
    expect(await (await snapshots(both, [scores, pulse], 'pulse')).sweep(noon + 999 * minute)).toEqual([scores, pulse])
    expect(await (await snapshots(both, [scores, pulse], 'scores')).sweep(noon + 999 * minute)).toEqual(both)
  })

  test('removes snapshots of an older version after they were replaced', async () => {
    const [old, pulse, scores] = ['20261120T130500Z-c06aec44', after(1, 'pulse'), after(2)]
    const { sweep } = await snapshots([old, pulse, scores], [pulse, scores])
    expect(await sweep(noon + 17 * minute)).toEqual([old, pulse, scores])
    expect(await sweep(noon + 17 * minute + 1_000)).toEqual([pulse, scores])
  })

  test('does not remove other files', async () => {
    const old = after(0)
    const { storage, sweep } = await snapshots([old, after(1)], ['x'])
    await storage.put('marts/mine.duckdb', Buffer.from('x'))
    await storage.put('marts/lease.json', Buffer.from('{}'))
    await sweep(noon + 10_000 * minute)
    expect(await storage.list('marts')).toContain('marts/mine.duckdb')
    expect(await storage.list('marts')).toContain('marts/lease.json')
    expect(await storage.list('marts')).not.toContain(snapshotPath(old))
  })
})

import { describe, expect, test } from 'vitest'

import { openFolder } from '#lake/folder.ts'
import { currentSnapshot, pointerPath, snapshotId, snapshotPath, sweepSnapshots } from '#lake/snapshot.ts'

import { newHome, noon } from './fixture.ts'

const minute = 60_000_000
const keep_ms = 15 * 60_000

async function snapshots(ids: readonly string[], current: string) {
  const storage = openFolder(await newHome())
  for (const id of ids) await storage.put(snapshotPath(id), Buffer.from(id))
  await storage.put(pointerPath, Buffer.from(JSON.stringify({ scores: current })))
  const sweep = async (at: number): Promise<string[]> => {
    await sweepSnapshots(storage, at, keep_ms)
    const left = await storage.list('marts')
    return ids.filter((id) => left.includes(snapshotPath(id)))
  }
  return { storage, sweep }
}

describe('the name of a snapshot', () => {
  test('says when it was made, and sorts by that', () => {
    expect(snapshotId(noon)).toMatch(/^20261120T130500Z-[0-9a-f]{8}$/)
    const ids = [0, 1, 60, 3_600, 86_400 * 40].map((s) => snapshotId(noon + s * 1_000_000))
    expect(ids.toSorted()).toEqual(ids)
    expect(snapshotId(noon)).not.toBe(snapshotId(noon))
  })

  test('is in the pointer once there is one', async () => {
    expect(await currentSnapshot(openFolder(await newHome()))).toBeUndefined()
    expect(await currentSnapshot((await snapshots([], 'x')).storage)).toBe('x')
  })
})

describe('a sweep', () => {
  test('takes what was replaced longer ago than is kept, to the second', async () => {
    const [a, b, c] = [0, 10, 20].map((minutes) => snapshotId(noon + minutes * minute)) as [string, string, string]
    const { sweep } = await snapshots([a, b, c], c)
    expect(await sweep(noon + 25 * minute)).toEqual([a, b, c])
    expect(await sweep(noon + 25 * minute + 1_000)).toEqual([b, c])
    expect(await sweep(noon + 36 * minute)).toEqual([c])
    expect(await sweep(noon + 10_000 * minute)).toEqual([c])
  })

  test('never takes the current one, though another has the later name', async () => {
    const [a, later] = [snapshotId(noon), snapshotId(noon + minute)]
    const { sweep } = await snapshots([a, later], a)
    expect(await sweep(noon + 10_000 * minute)).toEqual([a, later])
  })

  test('leaves alone what is no snapshot', async () => {
    const old = snapshotId(noon)
    const { storage, sweep } = await snapshots([old, snapshotId(noon + minute)], 'x')
    await storage.put('marts/mine.duckdb', Buffer.from('x'))
    await storage.put('marts/lease.json', Buffer.from('{}'))
    await sweep(noon + 10_000 * minute)
    expect(await storage.list('marts')).toContain('marts/mine.duckdb')
    expect(await storage.list('marts')).toContain('marts/lease.json')
    expect(await storage.list('marts')).not.toContain(snapshotPath(old))
  })
})

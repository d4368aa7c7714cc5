import { copyFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import type { Snapshot } from '#snapshots/marts.ts'
import { flip, publish } from '#test/api/fixture.ts'

import { askEndlessly, marketsOf, openedMarts } from './opened.ts'

const minute_us = 60_000_000

const { folder, clock, open } = openedMarts()

describe('two publishes', () => {
  const scoresOf = async (snapshot: Snapshot | null | undefined) =>
    (await snapshot?.query('select wallet from marts.pm_traders order by wallet'))?.map(({ wallet }) => wallet)

  test('go their own ways', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'of a' }], traders: [{ wallet: 'of a' }] })
    const { current, refresh } = await open()
    const scores = current('scores')
    expect(current()).toBeNull()
    await publish(folder.dir, 'b', { markets: [{ id: 'of b' }] }, 'pulse')
    await refresh()
    expect(current('scores')).toBe(scores)
    expect(current('pulse')?.id).toBe('pulse-b')
    await publish(folder.dir, 'c', { traders: [{ wallet: 'of c' }] }, 'scores')
    await refresh()
    expect([await marketsOf(current('pulse')), await scoresOf(current('scores'))]).toEqual([['of b'], ['of c']])
    await expect(current('pulse')?.query('from marts.pm_traders')).rejects.toThrow('does not exist')
  })

  test('are read as one, as old as the older and as new as the newer; the same two are the same one', async () => {
    const of = { markets: [{ id: 'of a' }], traders: [{ wallet: 'of a' }] }
    const older = { as_of: '2026-03-01 11:00:00', built_at: '2026-03-01 11:00:01' }
    await publish(folder.dir, 'a', { ...of, ...older }, 'scores')
    await publish(folder.dir, 'a', of, 'pulse')
    const { current, at, refresh } = await open()
    const both = current('pulse', 'scores')
    expect(both).toMatchObject({ id: 'pulse-a+scores-a', publications: ['pulse', 'scores'] })
    expect(new Date((both?.asOf ?? 0) / 1000).toISOString()).toBe('2026-03-01T11:00:00.000Z')
    expect(new Date((both?.publishedAt ?? 0) / 1000).toISOString()).toBe('2026-03-01T12:00:07.500Z')
    expect(await both?.query('select id, wallet from marts.pm_markets, marts.pm_traders')).toEqual([
      { id: 'of a', wallet: 'of a' },
    ])
    expect([current('pulse', 'scores'), at('pulse-a+scores-a')]).toEqual([both, both])
    await publish(folder.dir, 'b', { markets: [{ id: 'of b' }] }, 'pulse')
    await refresh()
    expect(await marketsOf(current('pulse', 'scores'))).toEqual(['of b'])
    expect(at('pulse-a+scores-a')).toBe(both)
    expect(await marketsOf(at('pulse-a+scores-a'))).toEqual(['of a'])
  })

  test('as one end with the first that is let go, and hold both while a query runs', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'of a' }] })
    const { current, at, refresh } = await open()
    const both = current('pulse', 'scores')
    await publish(folder.dir, 'b', {}, 'pulse')
    const { answer, leave } = askEndlessly(both)
    await refresh()
    clock.at += 16 * minute_us
    await refresh()
    expect(at('pulse-a+scores-a')).toBe(both)
    leave()
    await expect(answer).rejects.toThrow('every caller has gone')
    await refresh()
    expect(at('pulse-a+scores-a')).toBeNull()
    await expect(both?.query('select 1')).rejects.toThrow('detached after it was replaced')
    expect(at('pulse-b+scores-a')?.id).toBe('pulse-b+scores-a')
  })

  test('need not both exist, and a fault of one does not delay the other', async () => {
    await publish(folder.dir, 'a', {}, 'scores')
    const { current, fault, refresh } = await open()
    expect([current('scores')?.id, current('pulse'), current('pulse', 'scores'), fault()]).toEqual([
      'scores-a',
      null,
      null,
      null,
    ])
    await flip(folder.dir, 'missing', 'pulse')
    await publish(folder.dir, 'b', {}, 'scores')
    await refresh()
    expect(fault()).toContain('pulse-missing.duckdb')
    expect(current('scores')?.id).toBe('scores-b')
    await publish(folder.dir, 'c', {}, 'pulse')
    await refresh()
    expect([current('pulse', 'scores')?.id, fault()]).toEqual(['pulse-c+scores-b', null])
    await writeFile(join(folder.dir, 'current.json'), '{"scores":"scores-b"}')
    await refresh()
    expect(fault()).toContain('current.json: pulse is missing')
    expect(current('pulse', 'scores')?.id).toBe('pulse-c+scores-b')
  })

  test('are not taken for each other', async () => {
    await publish(folder.dir, 'a')
    const { current, fault, refresh } = await open()
    await copyFile(join(folder.dir, 'scores-a.duckdb'), join(folder.dir, 'pulse-b.duckdb'))
    await flip(folder.dir, 'b', 'pulse')
    await refresh()
    expect(fault()).toContain('meta.build: tables of other publications; expected pulse only')
    expect(current('pulse')?.id).toBe('pulse-a')
  })

  test('scores of an older version, without a publication in their names, are served; requests for its missing pulse are not', async () => {
    await publish(folder.dir, 'a', { traders: [{ wallet: 'of a' }] }, 'scores')
    const old = '20260301T120007Z-c06aec44'
    await rename(join(folder.dir, 'scores-a.duckdb'), join(folder.dir, `${old}.duckdb`))
    await writeFile(join(folder.dir, 'current.json'), JSON.stringify({ scores: old }))
    const { current, at, fault, refresh } = await open()
    expect([current('scores')?.id, current('pulse'), fault()]).toEqual([old, null, null])
    expect(await scoresOf(current('scores'))).toEqual(['of a'])
    await publish(folder.dir, 'b')
    await refresh()
    expect([current('pulse', 'scores')?.id, at(old)?.id]).toEqual(['pulse-b+scores-b', old])
  })
})

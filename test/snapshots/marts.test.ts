import { pbkdf2 } from 'node:crypto'
import { readFile, stat, truncate, unlink, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from 'vitest'

import { MartsBusyError } from '#snapshots/queries.ts'
import { flip, publish, writeSnapshot } from '#test/api/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

import { askEndlessly, marketsOf, openedMarts } from './opened.ts'

const minute_us = 60_000_000

const { folder, clock, open } = openedMarts()

describe('a snapshot', () => {
  test('has its time of publication and the time of its data', async () => {
    await publish(folder.dir, 'a', { as_of: '2026-03-01 11:59:00', built_at: '2026-03-01 12:00:01.25' })
    const snapshot = (await open()).current('pulse')
    expect(snapshot?.id).toBe('pulse-a')
    expect(new Date((snapshot?.asOf ?? 0) / 1000).toISOString()).toBe('2026-03-01T11:59:00.000Z')
    expect(new Date((snapshot?.publishedAt ?? 0) / 1000).toISOString()).toBe('2026-03-01T12:00:01.250Z')
  })

  test('gives decimals as the numbers that they print as', async () => {
    await publish(folder.dir, 'a')
    const { current } = await open()
    const rows = await current('pulse')?.query(`select * from (values
      (0.29::decimal(9,6), 1234567890123.45::decimal(38,2), -0.01::decimal(38,2), 90071992547409931.27::decimal(38,2)))
      as t(a, b, c, d)`)
    expect(JSON.stringify(rows)).toBe('[{"a":0.29,"b":1234567890123.45,"c":-0.01,"d":90071992547409940}]')
    const cents = await current('pulse')?.query(`select x, x::varchar as printed
      from (select (i * 0.01)::decimal(38,2) as x from range(-2000, 2000) as t(i))`)
    expect(cents).toHaveLength(4_000)
    for (const { x, printed } of cents ?? []) expect(x).toBe(Number(printed))
  })

  test('binds parameters by name and refuses a type that JSON has no form for', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'x' }, { id: "y'" }] })
    const snapshot = (await open()).current('pulse')
    expect(await snapshot?.query('select id from marts.pm_markets where id = $id', { id: "y'" })).toEqual([
      { id: "y'" },
    ])
    await expect(snapshot?.query('select interval 1 day as x')).rejects.toThrow(
      'column type DuckDBIntervalValue: unsupported; expected a cast in the select',
    )
  })

  test('is interrupted at the time limit, and answers the next query', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'x' }] })
    const snapshot = (await open(250)).current('pulse')
    const endless = snapshot?.query('select count(*) from range(10000000000) where hash(range) % 7 = 3')
    await expect(endless).rejects.toThrow(/interrupt/i)
    await expect(endless).rejects.toBeInstanceOf(MartsBusyError)
    // A busy machine may answer nothing within the limit.
    await eventually(async () => expect(await marketsOf(snapshot)).toEqual(['x']))
  })

  test('is interrupted also where its time ended before a thread took it up', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'x' }] })
    const snapshot = (await open(100)).current('pulse')
    await eventually(async () => expect(await marketsOf(snapshot)).toEqual(['x']))
    // Other work holds the threads of the process for longer.
    const others = Array.from({ length: 8 }, () => promisify(pbkdf2)('a', 'b', 300_000, 64, 'sha512'))
    const endless = askEndlessly(snapshot).answer
    await expect(endless).rejects.toBeInstanceOf(MartsBusyError)
    await Promise.all(others)
  })

  test('turns queries away when 300 are waiting, and answers those that wait', async () => {
    await publish(folder.dir, 'a')
    const snapshot = (await open()).current('pulse')
    const asked = Array.from({ length: 310 }, async (_, i) => snapshot?.query('select $i::integer as i', { i }))
    const settled = await Promise.allSettled(asked)
    const refused = settled.filter((one) => one.status === 'rejected')
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length).toBeLessThan(10)
    for (const { reason } of refused) expect(reason).toBeInstanceOf(MartsBusyError)
    settled.forEach((one, i) => {
      if (one.status === 'fulfilled') expect(one.value).toEqual([{ i }])
    })
  })

  test('turns a query away that could not begin in two fifths of its time', async () => {
    await publish(folder.dir, 'a')
    const snapshot = (await open(1_000)).current('pulse')
    const endless = Array.from({ length: 3 }, async () =>
      snapshot?.query('select count(*) from range(10000000000) where hash(range) % 7 = 3'),
    )
    const waiting = snapshot?.query('select 1')
    await expect(waiting).rejects.toThrow('no query could begin within 400 ms')
    await expect(waiting).rejects.toBeInstanceOf(MartsBusyError)
    for (const { status } of await Promise.allSettled(endless)) expect(status).toBe('rejected')
    await eventually(async () => expect(await snapshot?.query('select 1 as one')).toEqual([{ one: 1 }]))
  })

  test('can be read alone: not written, and no other file reached', async () => {
    await publish(folder.dir, 'a')
    const secret = join(folder.home, 'secret.csv')
    await writeFile(secret, 'a,b')
    const snapshot = (await open()).current('pulse')
    for (const sql of [
      `from read_csv('${secret}')`,
      `copy (select 1) to '${folder.home}/out.csv'`,
      `attach '${folder.home}/other.duckdb'`,
      'delete from marts.pm_markets',
      'set enable_external_access = true',
    ]) {
      await expect(snapshot?.query(sql), sql).rejects.toThrow(/Permission|read-only|configuration/)
    }
  })
})

describe('the pointer', () => {
  test('without one there is no snapshot and no fault', async () => {
    const { current, fault } = await open()
    expect([current('pulse'), fault()]).toEqual([null, null])
  })

  test('is followed; a query names the tables of its own snapshot while both are attached', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'of a' }] })
    const { current, refresh } = await open()
    const a = current('pulse')
    await publish(folder.dir, 'b', { markets: [{ id: 'of b' }] })
    await refresh()
    const b = current('pulse')
    expect(b?.id).toBe('pulse-b')
    const answers = await Promise.all([a, b, a, b, b, a].map(marketsOf))
    expect(answers.flat()).toEqual(['of a', 'of b', 'of a', 'of b', 'of b', 'of a'])
  })

  test('is noticed without being reported', async () => {
    await publish(folder.dir, 'a')
    const marts = await open(600_000, 5)
    await publish(folder.dir, 'b')
    await expect.poll(() => marts.current('pulse')?.id).toBe('pulse-b')
  })

  test('may go back to a snapshot that is still held', async () => {
    await publish(folder.dir, 'a')
    const { current, refresh } = await open()
    const a = current('pulse')
    await publish(folder.dir, 'b')
    await refresh()
    await flip(folder.dir, 'a')
    await refresh()
    clock.at += 16 * minute_us
    await refresh()
    expect(current('pulse')).toBe(a)
    expect(await marketsOf(current('pulse'))).toEqual([])
  })

  test('must be a name, not a path', async () => {
    await publish(folder.dir, 'a')
    const { current, fault, refresh } = await open()
    for (const body of [
      '{"pulse":"pulse-/../a"}',
      '{"pulse":"pulse-a/b"}',
      '{"pulse":"scores-a"}',
      '{"scores":"pulse-a"}',
      '{}',
      'null',
      '{"scores":',
      '',
    ]) {
      await writeFile(join(folder.dir, 'current.json'), body)
      await refresh()
      expect(fault(), body).toContain('the newest snapshot cannot be served')
      expect(current('pulse')?.id).toBe('pulse-a')
    }
  })

  test('a snapshot that is missing or damaged leaves the one before in place, until it can be read', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'of a' }] })
    const { current, fault, isDamaged, refresh } = await open()
    const damages: Record<string, () => Promise<void>> = {
      missing: () => unlink(join(folder.dir, 'pulse-missing.duckdb')),
      garbage: () => writeFile(join(folder.dir, 'pulse-garbage.duckdb'), 'x'.repeat(100_000)),
      empty: () => writeFile(join(folder.dir, 'pulse-empty.duckdb'), ''),
      cut: async () =>
        truncate(join(folder.dir, 'pulse-cut.duckdb'), (await stat(join(folder.dir, 'pulse-cut.duckdb'))).size / 2),
    }
    for (const [id, damage] of Object.entries(damages)) {
      await writeSnapshot(folder.dir, id, { markets: [{ id: `of ${id}` }] })
      const whole = await readFile(join(folder.dir, `pulse-${id}.duckdb`))
      await damage()
      await flip(folder.dir, id)
      await refresh()
      expect(fault(), id).toContain('the newest snapshot cannot be served')
      expect(fault(), id).not.toContain(folder.dir)
      expect(isDamaged(), id).toBe(true)
      expect(await marketsOf(current('pulse'))).toEqual(['of a'])
      await writeFile(join(folder.dir, `pulse-${id}.duckdb`), whole)
      await refresh()
      expect([fault(), isDamaged()]).toEqual([null, false])
      expect(await marketsOf(current('pulse'))).toEqual([`of ${id}`])
      await flip(folder.dir, 'a')
      await refresh()
    }
  })
})

describe('a replaced snapshot', () => {
  test('answers by its id for 15 minutes, then no longer', async () => {
    await publish(folder.dir, 'a', { markets: [{ id: 'of a' }] })
    const { at, current, refresh } = await open()
    const a = current('pulse')
    await publish(folder.dir, 'b')
    await refresh()
    clock.at += 15 * minute_us - 1
    await refresh()
    expect(await marketsOf(at('pulse-a'))).toEqual(['of a'])
    clock.at += 1
    await refresh()
    expect(at('pulse-a')).toBeNull()
    expect(at('pulse-b')?.id).toBe('pulse-b')
    await expect(a?.query('select 1')).rejects.toThrow('detached after it was replaced')
  })

  test('stays while a query of it runs', async () => {
    await publish(folder.dir, 'a')
    await writeSnapshot(folder.dir, 'b')
    const { at, current, refresh } = await open()
    const { answer, leave } = askEndlessly(current('pulse'))
    await flip(folder.dir, 'b')
    await refresh()
    clock.at += 16 * minute_us
    await refresh()
    expect(at('pulse-a')?.id).toBe('pulse-a')
    leave()
    await expect(answer).rejects.toThrow('every caller has gone')
    await refresh()
    expect(at('pulse-a')).toBeNull()
  })

  test('answers on after a restart, as long as it would have without one', async () => {
    for (const [id, minutes_ago] of Object.entries({ old: 40, recent: 20, last: 5 })) {
      await writeSnapshot(folder.dir, id)
      const written = clock.at / 1_000_000 - minutes_ago * 60
      await utimes(join(folder.dir, `pulse-${id}.duckdb`), written, written)
    }
    await flip(folder.dir, 'last')
    const { at, refresh } = await open()
    // `old` was replaced 20 minutes ago, `recent` 5.
    const ids = ['pulse-old', 'pulse-recent', 'pulse-last']
    expect(ids.map((id) => at(id)?.id ?? null)).toEqual([null, 'pulse-recent', 'pulse-last'])
    clock.at += 10 * minute_us
    await refresh()
    expect(at('pulse-recent')).toBeNull()
  })
})

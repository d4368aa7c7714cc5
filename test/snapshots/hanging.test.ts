import { execFileSync } from 'node:child_process'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { openMarts, type Marts } from '#snapshots/marts.ts'
import { publish } from '#test/api/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

import { marketsOf, openedMarts } from './opened.ts'

const { folder, clock } = openedMarts()

const open = () => openMarts({ dir: folder.dir, now: () => clock.at, poll_ms: 60_000, step_ms: 200 })

/** Looks until the marts are as expected: on a busy machine a sound step may take longer than its time too. */
const lookUntil = (marts: Marts, check: () => void) =>
  eventually(async () => {
    await marts.refresh()
    check()
  })

test('a file that is not read to its end delays no other publication and no close, and is served once it is', async () => {
  const { dir } = folder
  await publish(dir, 'a', { markets: [{ id: 'x' }] })
  const marts = await open()
  await lookUntil(marts, () => expect(marts.current('scores')?.id).toBe('scores-a'))
  await publish(dir, 'b', { markets: [{ id: 'x' }, { id: 'y' }] })
  const file = join(dir, 'scores-b.duckdb')
  await rename(file, `${file}.whole`)
  // No process writes to it, so a read of it waits.
  execFileSync('mkfifo', [file])
  try {
    await lookUntil(marts, () => expect(marts.current('pulse')?.id).toBe('pulse-b'))
    expect(marts.current('scores')?.id).toBe('scores-a')
    expect(await marketsOf(marts.current('pulse'))).toEqual(['x', 'y'])
    expect(marts.fault()).toContain('scores: still not read; expected an answer of the disk within 0.2 s')
    expect(marts.isDamaged()).toBe(false)
    const other = await open()
    await lookUntil(other, () => expect(other.current('pulse')?.id).toBe('pulse-b'))
    expect(other.current('scores')).toBeNull()
    await other.close()
  } finally {
    // Each reader gets an end, and one of them the bytes.
    await writeFile(file, 'not a snapshot')
    await rename(`${file}.whole`, file)
  }
  await lookUntil(marts, () => expect([marts.current('scores')?.id, marts.fault()]).toEqual(['scores-b', null]))
  await marts.close()
})

import { open, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'

import { fileDigest } from '#snapshots/digest.ts'
import { openMarts } from '#snapshots/marts.ts'
import { literal, openDuckDB } from '#storage/duckdb.ts'
import { flip } from '#test/api/fixture.ts'
import { startService, type Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

import { randomFrom } from './hostile.ts'

const rows = sized(200_000, 200_000, 1_000_000)
const flips = sized(5, 10, 25)
const address = (i: number) => `0x${i.toString(16).padStart(40, '0')}`

let service: Service
/** The bytes of an intact snapshot of the scores with many wallets. */
let whole: Buffer

beforeAll(async () => {
  service = await startService({ rows: { wallets: [{ address: address(1) }] } })
  await flip(service.dir, 'first')
  const scratch = join(service.home, 'scratch')
  const file = join(service.home, 'large.duckdb')
  const instance = await openDuckDB({ threads: 2, memory: '1GB', scratch })
  const connection = await instance.connect()
  await connection.run(`attach ${literal(file)} as large (row_group_size 16384);
    attach ${literal(join(service.dir, 'scores-first.duckdb'))} as small (read_only);
    copy from database small to large;
    insert into large.marts.pm_wallet select s.* replace (
      '0x' || lpad(to_hex(i), 40, '0') as address, hash(i) % 1000000 as total_pnl)
    from small.marts.pm_wallet as s, range(2, ${rows + 2}) as t(i);
    checkpoint large; detach large; detach small`)
  connection.closeSync()
  instance.closeSync()
  whole = await readFile(file)
})
beforeEach(async () => {
  await flip(service.dir, 'first')
  await service.marts.refresh()
})
afterAll(() => service.stop())

/** Stores an intact snapshot with its digest. */
const store = async (name: string) => {
  const file = join(service.dir, `scores-${name}.duckdb`)
  await writeFile(file, whole)
  await writeFile(join(service.dir, `scores-${name}.sha256`), await fileDigest(file))
  return file
}

/** Flips one bit of a file in place. */
const flipBit = async (file: string, position: number) => {
  const handle = await open(file, 'r+')
  const byte = Buffer.from([(whole[position] ?? 0) ^ 1])
  await handle.write(byte, 0, 1, position)
  await handle.close()
}

const profile = (i: number) => service.ask(`/v1/pm-wallet?address=${address(i)}`)

test('a flipped bit before the file is attached leaves the snapshot before in service', async () => {
  const random = randomFrom(3)
  for (let i = 0; i < flips; i++) {
    const file = await store(`bent${i}`)
    await flipBit(file, random(whole.length))
    await flip(service.dir, `bent${i}`, 'scores')
    await service.marts.refresh()
    expect(service.marts.current('scores')?.id).toBe('scores-first')
    expect(service.marts.fault()).toContain(`scores-bent${i}.duckdb: damaged`)
    expect((await profile(1)).status).toBe(200)
    await rm(file)
  }
})

test('a bit that is flipped after the file was attached makes no answer a 5xx', async () => {
  const random = randomFrom(5)
  let n_withdrawn = 0
  for (let i = 0; i < flips; i++) {
    const file = await store(`late${i}`)
    await flip(service.dir, `late${i}`, 'scores')
    await service.marts.refresh()
    expect(service.marts.current('scores')?.id).toBe(`scores-late${i}`)
    // The first blocks hold the metadata, which DuckDB reads once when it attaches the file.
    await flipBit(file, whole.length - 1 - random(whole.length * 0.9))
    for (let asked = 0; asked < 40; asked++) {
      expect((await profile(2 + random(rows))).status).toBe(200)
    }
    const withdrawn = service.marts.current('scores')?.id !== `scores-late${i}`
    if (withdrawn) expect(service.marts.fault()).toContain(`scores-late${i}.duckdb: damaged`)
    n_withdrawn += Number(withdrawn)
    await rm(file)
  }
  // Not every flip lies in a block that one of the questions reads.
  expect(n_withdrawn).toBeGreaterThan(0)
})

test('a start with a damaged newest snapshot serves the one before, and the newest once it is intact', async () => {
  const file = await store('newest')
  const past = new Date(Date.now() - 3_600_000)
  await utimes(join(service.dir, 'scores-first.duckdb'), past, past)
  await flip(service.dir, 'newest', 'scores')
  await flipBit(file, whole.length >> 1)
  const marts = await openMarts({ dir: service.dir, now: () => service.clock.at, poll_ms: 60_000 })
  try {
    expect(marts.current('scores')?.id).toBe('scores-first')
    expect(marts.fault()).toContain('scores-newest.duckdb: damaged')
    await writeFile(file, whole)
    await marts.refresh()
    expect(marts.current('scores')?.id).toBe('scores-newest')
    expect(marts.fault()).toBeNull()
  } finally {
    await marts.close()
  }
})

import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { stored } from '#lake/sql.ts'
import { until } from '#test/run/eventually.ts'

const textShape = z.object({ text: z.string() })

/** All rows of a lake and its coverage, without the facts of one reading that files do not hold. */
export async function contentsOf(lake: Lake): Promise<string[]> {
  const tables = Object.keys(stored).map(
    (name) => `select '${name} ' || to_json(t)::varchar as text from lake.${name} t`,
  )
  const coverage = `select 'coverage ' || to_json(c)::varchar as text
    from (select * exclude (asked, verified, checked_at, upstream_at, n_read, n_rejected) from lake.coverage where state <> 'missing') c`
  const rows = await lake.read(({ query }) =>
    query(`${[...tables, coverage].join(' union all ')} order by 1`, textShape),
  )
  return rows.map(({ text }) => text)
}

/** Removes the catalog. A closed connection may remove its own `-wal` and `-shm` meanwhile. */
export async function removeCatalog(home: string): Promise<void> {
  const names = (await readdir(home)).filter((name) => name.startsWith('catalog.sqlite'))
  for (const name of names) await rm(join(home, name), { force: true })
}

/** Moves the writing of all data files back by a time, so that later ones are newer on any file system. */
export async function age(lake: Lake, path: string, s: number): Promise<void> {
  const at = Date.now() / 1_000 - s
  await utimes(lake.local.locate(path), at, at)
}

/**
 * Waits until the next file is newer than all former ones of the file system. Its clock advances in steps of some
 * milliseconds, and later on a machine whose cores are withheld.
 */
export async function fileTimeAdvances(home: string): Promise<void> {
  const probe = join(home, 'probe')
  const timeNow = async (): Promise<number> => {
    await writeFile(probe, '')
    return (await stat(probe)).mtimeMs
  }
  const before = await timeNow()
  await until(async () => (await timeNow()) > before, 1)
}

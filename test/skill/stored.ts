import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { coverage, datasets } from '#lake/datasets/index.ts'
import type { World } from '#sim/markets/types.ts'
import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import type { Micros } from '#time.ts'

import { createLake } from './lake.ts'
import { readAccounts } from './validated.ts'

/** Stores a world up to an instant as the files of a lake, one unit a dataset. */
export async function storeWorld(world: World, at: Micros, home: string): Promise<void> {
  const instance = await openDuckDB({ threads: 1, memory: '2GB', scratch: join(home, 'scratch') })
  try {
    await withConnection(instance, async (connection) => {
      await connection.run('create schema lake')
      await createLake(connection, world, at)
      await readAccounts(connection)
      for (const { name, version } of [...Object.values(datasets), coverage]) {
        const [extension, format] = name === coverage.name ? ['ndjson', 'json'] : ['parquet', 'parquet']
        const file = join(home, 'lake', name, `v${version}`, 'world', 'polymarket', 'aa', `world.${extension}`)
        await mkdir(dirname(file), { recursive: true })
        await connection.run(`copy lake.${name} to ${literal(file)} (format ${format})`)
      }
    })
  } finally {
    instance.closeSync()
  }
}

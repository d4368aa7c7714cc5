import { readFileSync } from 'node:fs'

import {
  DuckDBDoubleVector,
  DuckDBUBigIntVector,
  DuckDBVarCharVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import type { Emit, FoldModel } from '#models/model.ts'

import { openClusters } from './clusters.ts'

/**
 * The clusters of near-duplicate posts, platform by platform in the order of time. `near_duplicates.sql` orders the
 * posts; `core.clusters` documents the result.
 */
export const nearDuplicates: FoldModel = {
  kind: 'fold',
  layer: 'core',
  name: 'near_duplicates',
  doc: 'Posts with the first post of their cluster of near-duplicates, folded in the order of time.',
  sql: readFileSync(new URL('near_duplicates.sql', import.meta.url), 'utf8'),
  outputs: {
    post_clusters: [
      { name: 'platform', sql: 'VARCHAR', isNullable: false, isKey: true },
      { name: 'post_id', sql: 'VARCHAR', isNullable: false, isKey: true },
      { name: 'cluster_id', sql: 'VARCHAR', isNullable: false, isKey: false },
    ],
  },
  fold: foldPosts,
}

async function foldPosts(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  let platform: string | undefined
  let clusterOf = openClusters()
  for await (const chunk of chunks) {
    const column = columnOf(chunk)
    const platforms = column(0, DuckDBVarCharVector)
    const posts = column(1, DuckDBVarCharVector)
    const instants = column(2, DuckDBDoubleVector)
    const hashes = column(3, DuckDBUBigIntVector)
    const rows: [string[], string[], string[]] = [[], [], []]
    for (let index = 0; index < chunk.rowCount; index++) {
      const [on, post_id] = [known(platforms.getItem(index)), known(posts.getItem(index))]
      if (on !== platform) {
        platform = on
        clusterOf = openClusters()
      }
      rows[0].push(on)
      rows[1].push(post_id)
      rows[2].push(clusterOf({ post_id, ts: known(instants.getItem(index)), simhash: known(hashes.getItem(index)) }))
    }
    emit('post_clusters', rows)
  }
}

const columnOf =
  (chunk: DuckDBDataChunk) =>
  <V extends DuckDBVector>(index: number, type: new (...args: never[]) => V): V => {
    const vector = chunk.getColumnVector(index)
    if (vector instanceof type) return vector
    throw new TypeError(
      `near_duplicates.sql, column ${index}: type ${vector.type.toString()}; expected the type of its dataset`,
    )
  }

function known<T>(value: T | null): T {
  if (value === null) throw new Error('near_duplicates.sql: a column is null; expected a value')
  return value
}

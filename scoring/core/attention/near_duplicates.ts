import { readFileSync } from 'node:fs'

import {
  DuckDBDoubleVector,
  DuckDBUBigIntVector,
  DuckDBVarCharVector,
  type DuckDBDataChunk,
  type DuckDBVector,
} from '@duckdb/node-api'

import type { Emit, FoldModel } from '#builder/model.ts'
import { nearDuplicates as firstsOf } from '#text/clusters/near_duplicates.ts'

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

type Post = { post_id: string; ts: number; simhash: bigint }

async function foldPosts(chunks: AsyncIterable<DuckDBDataChunk>, emit: Emit): Promise<void> {
  let open: { platform: string; posts: Post[] } = { platform: '', posts: [] }
  const close = (): void => {
    const { platform, posts } = open
    const ids = posts.map(({ post_id }) => post_id)
    const clusters = Array.from(firstsOf(posts), (first) => requireValue(ids[first] ?? null))
    emit('post_clusters', [ids.map(() => platform), ids, clusters])
  }
  for await (const chunk of chunks) {
    const column = columnOf(chunk)
    const [platforms, posts] = [column(0, DuckDBVarCharVector), column(1, DuckDBVarCharVector)]
    const [instants, hashes] = [column(2, DuckDBDoubleVector), column(3, DuckDBUBigIntVector)]
    const n_rows = chunk.rowCount
    for (let index = 0; index < n_rows; index++) {
      const platform = requireValue(platforms.getItem(index))
      if (platform !== open.platform) {
        close()
        open = { platform, posts: [] }
      }
      open.posts.push({
        post_id: requireValue(posts.getItem(index)),
        ts: requireValue(instants.getItem(index)),
        simhash: requireValue(hashes.getItem(index)),
      })
    }
  }
  close()
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

function requireValue<T>(value: T | null): T {
  if (value === null) throw new Error('near_duplicates.sql: a column is null; expected a value')
  return value
}

import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { DuckDBInstance } from '@duckdb/node-api'

import { loadScoring } from '#scoring/index.ts'
import { openDuckDB, withConnection } from '#storage/duckdb.ts'
import { CLOCK_HOUR } from '#test/oracle/attention/mindshare.ts'
import { universe, type AttentionWorld } from '#test/oracle/attention/world.ts'
import { buildTables, createGiven, type Rows } from '#test/scoring/core/wallets/tables.ts'

/** The instant that builds of attention are as of. */
const clock = Date.UTC(2026, 10, 20) + CLOCK_HOUR * 3_600_000

/** An instant some hours from the clock. */
export const instant = (hour: number): string =>
  new Date(clock + Math.round(hour * 3_600_000)).toISOString().slice(0, 23)

/** The tables of the lake that attention rests on. */
const given = [
  'core.clock',
  ...'coverage posts post_text dropped_posts mentions engagement authors tombstones assets'
    .split(' ')
    .map((name) => `lake.${name}`),
]

let opened: Promise<DuckDBInstance> | undefined
const open = (): Promise<DuckDBInstance> =>
  openDuckDB({ threads: 2, memory: '1GB', scratch: join(tmpdir(), `tapeline-attention-${process.pid}`) })

const models = await loadScoring()

/** Builds tables over a lake with these rows, in an instance that the next build empties. */
export async function buildIn(tables: readonly string[], rows: Rows): Promise<DuckDBInstance> {
  const instance = await (opened ??= open())
  await createGiven(instance, { 'core.clock': [{ as_of: instant(0) }], ...rows }, given)
  await buildTables(instance, models, tables, given)
  return instance
}

/** Builds tables over a lake with these rows, and returns the rows of each, in the order of all columns. */
export async function build<const T extends string>(
  tables: readonly T[],
  rows: Rows,
): Promise<Record<T, Record<string, unknown>[]>> {
  const instance = await buildIn(tables, rows)
  return withConnection(instance, async (connection) => {
    const found: [string, Record<string, unknown>[]][] = []
    for (const table of tables) {
      const reader = await connection.runAndReadAll(`from ${table} order by all`)
      const numbers = new Set(
        reader.columnNames().filter((_, n) => /^(DECIMAL|\w*INT|DOUBLE)/.test(String(reader.columnType(n)))),
      )
      const plain = reader
        .getRowObjectsJson()
        .map((row) =>
          Object.fromEntries(
            Object.entries(row).map(([name, value]) => [
              name,
              numbers.has(name) && value !== null ? Number(value) : value,
            ]),
          ),
        )
      found.push([table, plain])
    }
    return Object.fromEntries(found) as Record<T, Record<string, unknown>[]>
  })
}

/** The lake of a world: a rating for each author, an id for each asset, and one unit for each platform. */
export function lakeOf({ posts, covered, quality, dropped = [] }: AttentionWorld): Rows {
  const known = new Set<string>([...universe, ...posts.flatMap(({ assets }) => assets)])
  return {
    'lake.assets': [...known].map((asset) => ({
      asset_id: `id-${asset}`,
      valid_at: instant(-100 * 24),
      seen_at: instant(-100 * 24),
      symbol: asset.toUpperCase(),
      name: asset,
      is_tracked: (universe as readonly string[]).includes(asset),
    })),
    'lake.coverage': Object.entries(covered).map(([platform, [from, to]]) => ({
      dataset: 'posts',
      unit: platform,
      source: platform,
      part: platform,
      state: 'done',
      from_at: instant(from),
      to_at: instant(to),
    })),
    'lake.authors': Object.entries(quality).map(([key, score]) => {
      const [platform = '', author = ''] = key.split(' ')
      return { platform, author, seen_at: instant(-100 * 24), score, source: platform }
    }),
    'lake.posts': posts.map(({ platform, post_id, hour, author, simhash }) => ({
      platform,
      post_id,
      ts: instant(hour),
      author,
      kind: 'post',
      simhash,
      source: platform,
    })),
    'lake.dropped_posts': dropped.map(({ platform, hour, n_posts }) => ({
      platform,
      ts: instant(hour),
      n_posts,
      source: platform,
    })),
    'lake.mentions': posts.flatMap(({ platform, post_id, hour, assets, confidence, tone: [bull_rate, bear_rate] }) =>
      assets.map((asset) => ({
        platform,
        post_id,
        asset_id: `id-${asset}`,
        ts: instant(hour),
        tier: 2,
        confidence,
        n_assets: assets.length,
        bull_rate,
        bear_rate,
        model: 'a',
        source: platform,
      })),
    ),
    'lake.engagement': posts.flatMap(({ platform, post_id, hour, engaged }) =>
      engaged.map(({ kind, engager, after }) => ({
        platform,
        post_id,
        kind,
        engager,
        ts: instant(hour + after),
        n_engaged: 1,
        source: platform,
      })),
    ),
  }
}

import { mkdir } from 'node:fs/promises'

import { DuckDBDataChunk, INTEGER, VARCHAR, type DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import type { Lake } from '#lake/lake.ts'
import { streamOf } from '#storage/stream.ts'

import { openTurns } from './turns.ts'

/** A row of an upstream as it came, and its place among all that were kept. */
export type KeptBody = { place: number; body: unknown }

/** Keeps rows that can be parsed only after the last page. Few stay in memory; many are moved to a table of DuckDB. */
export type BodyKeeper = {
  keep: (bodies: readonly { key: string; body: unknown }[]) => Promise<void>
  /** Drops all bodies so far. */
  drop: () => Promise<void>
  /** All bodies, some thousands at a time. Those of one key follow each other, in the order in which they came. */
  byKey: () => AsyncGenerator<KeptBody[]>
  /** Drops the table. */
  close: () => Promise<void>
}

type Keyed = KeptBody & { key: string }

/** The bodies in memory, of some kilobytes each. */
const heldBodies = 2_000
/** The number of rows of a chunk, as DuckDB sizes its vectors. */
const chunkRows = 2048

/** `onSpill` is called whenever bodies leave the memory. */
export function keepBodies(
  { writer, scratch }: Pick<Lake, 'writer' | 'scratch'>,
  onSpill: () => void = () => undefined,
): BodyKeeper {
  const { inTurn, close } = openTurns()
  let held: Keyed[] = []
  let n_kept = 0
  let connection: DuckDBConnection | undefined

  const spill = async (): Promise<DuckDBConnection> => {
    if (connection === undefined) {
      // DuckDB creates its folder, and none above it.
      await mkdir(scratch, { recursive: true })
      connection = await writer.connect()
      await connection.run('create temp table bodies (key varchar, place integer, body varchar)')
    }
    await append(connection, held)
    held = []
    onSpill()
    return connection
  }
  const drop = (): void => {
    connection?.closeSync()
    connection = undefined
    held = []
    n_kept = 0
  }
  return {
    keep: (bodies) =>
      inTurn(async () => {
        for (const { key, body } of bodies) held.push({ key, body, place: n_kept++ })
        if (held.length >= heldBodies) await spill()
      }),
    drop: () => inTurn(async () => drop()),
    byKey: async function* () {
      if (connection === undefined) {
        yield togetherOf(held)
        return
      }
      const table = await inTurn(spill)
      const chunks = streamOf(table, 'select place, body from bodies order by key, place', n_kept)
      for (;;) {
        const bodies = await inTurn(async () => {
          const { value: chunk } = await chunks.next()
          const rows = chunk?.getRows().map(bodyOf)
          chunk?.reset()
          return rows
        })
        if (bodies === undefined) return
        yield bodies
      }
    },
    close: async () => {
      await close()
      drop()
    },
  }
}

/** Bodies with those of one key together. */
function togetherOf(bodies: readonly Keyed[]): KeptBody[] {
  const byKey = new Map<string, KeptBody[]>()
  for (const kept of bodies) {
    const sameKey = byKey.get(kept.key)
    if (sameKey === undefined) byKey.set(kept.key, [kept])
    else sameKey.push(kept)
  }
  return [...byKey.values()].flat()
}

const rowShape = z.tuple([z.number(), z.string()])

function bodyOf(row: readonly unknown[]): KeptBody {
  const [place, body] = rowShape.parse(row)
  return { place, body: JSON.parse(body) }
}

/** Keys are appended as JSON, which has no character that DuckDB refuses or replaces. */
async function append(connection: DuckDBConnection, bodies: readonly Keyed[]): Promise<void> {
  const appender = await connection.createAppender('bodies')
  const chunk = DuckDBDataChunk.create([VARCHAR, INTEGER, VARCHAR])
  for (let start = 0; start < bodies.length; start += chunkRows) {
    const part = bodies.slice(start, start + chunkRows)
    chunk.rowCount = part.length
    chunk.setColumns([
      part.map(({ key }) => JSON.stringify(key)),
      part.map(({ place }) => place),
      part.map(({ body }) => JSON.stringify(body)),
    ])
    appender.appendDataChunk(chunk)
    chunk.reset()
  }
  // Only closing the appender makes the last chunk visible.
  appender.closeSync()
}

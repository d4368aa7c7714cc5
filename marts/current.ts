import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import type { Micros } from '#time.ts'

import { publishes, type Publish } from './publications.ts'
import { publishOf } from './snapshot.ts'

/** The snapshots that are published in a folder; null where nothing is yet. */
export async function readPublished(dir: string): Promise<Partial<Record<Publish, string>> | null> {
  const path = join(dir, 'current.json')
  let body
  try {
    body = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
  const pointer: unknown = JSON.parse(body)
  const named = typeof pointer === 'object' && pointer ? Object.entries(pointer) : []
  const found = named.filter(([publish]) => (publishes as readonly string[]).includes(publish))
  if (found.length > 0 && found.every(([publish, id]) => isName(id) && publishOf(id) === publish)) {
    return Object.fromEntries(found)
  }
  throw new Error(`${path} names no snapshot; {"scores": "<id>", "pulse": "<id>"} is expected`)
}

const isName = (id: unknown): id is string => typeof id === 'string' && /^[\w-][\w.-]*$/.test(id)

/** The snapshots of a publish before the newest, each with the instant at which the one after it was finished. */
export async function listReplaced(dir: string, newest: string): Promise<{ id: string; replacedAt: Micros }[]> {
  const ids = (await readdir(dir))
    .filter((name) => name.endsWith('.duckdb'))
    .map((name) => name.slice(0, -'.duckdb'.length))
    .filter((id) => publishOf(id) === publishOf(newest))
  const files = await Promise.all(ids.map(async (id) => ({ id, at_ms: await finishedAt(dir, id) })))
  const inOrder = files.toSorted((a, b) => a.at_ms - b.at_ms)
  const next = inOrder.slice(1)
  return inOrder
    .slice(
      0,
      inOrder.findIndex(({ id }) => id === newest),
    )
    .map(({ id }, i) => ({ id, replacedAt: Math.round((next[i]?.at_ms ?? 0) * 1_000) }))
}

/** Of one that is swept just now: long ago. */
const finishedAt = (dir: string, id: string): Promise<number> =>
  stat(join(dir, `${id}.duckdb`)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )

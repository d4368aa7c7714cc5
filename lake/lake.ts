import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { DuckDBInstance } from '@duckdb/node-api'
import { z } from 'zod'

import { openDuckDB } from '#storage/duckdb.ts'
import { openFolder } from '#storage/folder.ts'
import { openScratch } from '#storage/scratch.ts'
import type { Storage } from '#storage/storage.ts'

import { withReader, type LakeReader } from './reader.ts'

/** An open lake: its storage, and the DuckDB instances that read and write its files. */
export type Lake = {
  storage: Storage
  /** The DuckDB that writes units. It has one thread, because a second one only costs time on small files. */
  writer: DuckDBInstance
  /** A local folder for unfinished files. */
  scratch: string
  read: <T>(work: (reader: LakeReader) => Promise<T>) => Promise<T>
  /**
   * Records the world of the lake's facts: `real`, or the name of a simulated world. The first claim decides; a lake
   * never mixes worlds.
   */
  claim: (world: string) => Promise<void>
  /** The claimed world; undefined while the lake is empty. */
  world: () => Promise<string | undefined>
  close: () => void
}

const marker = 'lake/lake.json'
/** The version of the layout. It increases with changes that the versions of datasets do not express. */
const format = 1
const markerShape = z.object({ format: z.number(), world: z.string() })

/** Thrown when facts of one world would be written into the lake of another. */
export class WorldMismatch extends Error {
  constructor(stored: string, offered: string) {
    super(
      `this lake holds ${describe(stored)} and the upstream answers for ${describe(offered)}: ` +
        'facts of two worlds are never mixed; choose another TAPELINE_HOME',
    )
    this.name = 'WorldMismatch'
  }
}

const describe = (world: string): string => (world === 'real' ? 'the real world' : `the simulated world ${world}`)

/**
 * Opens the lake in a folder. The first stored unit creates the folder. The memory limit applies to readers and to
 * writers separately.
 */
export async function openLake(home: string, limits: { threads: number; memory: string }): Promise<Lake> {
  const storage = openFolder(home)
  await assertFormat(storage)
  const scratch = await openScratch(join(home, 'scratch'))
  const reader = await openDuckDB({ ...limits, scratch })
  const writer = await openDuckDB({ ...limits, threads: 1, scratch })
  const world = async (): Promise<string | undefined> => {
    const stored = await storage.get(marker)
    return stored === undefined ? undefined : markerShape.parse(JSON.parse(stored.toString())).world
  }
  let claimed: string | undefined
  let isClosed = false
  return {
    storage,
    writer,
    scratch,
    world,
    read: async (work) => {
      if (isClosed) throw new Error('lake: it is closed; expected an open lake')
      return withReader({ storage, instance: reader, scratch }, work)
    },
    claim: async (offered) => {
      if (claimed === offered) return
      const body = Buffer.from(JSON.stringify({ format, world: offered }))
      for (;;) {
        const stored = await world()
        claimed = stored
        if (stored === offered) return
        if (stored !== undefined) throw new WorldMismatch(stored, offered)
        if (await storage.putIfMatch(marker, body, null)) continue
        // Another process is claiming it; its world is visible in a moment.
        await sleep(10)
      }
    },
    close: () => {
      isClosed = true
      reader.closeSync()
      writer.closeSync()
      rmSync(scratch, { recursive: true, force: true })
    },
  }
}

/** Rejects a lake of another format version. */
async function assertFormat(storage: Storage): Promise<void> {
  const stored = await storage.get(marker)
  if (stored === undefined) return
  const { data, success } = markerShape.safeParse(JSON.parse(stored.toString()))
  if (!success || data.format !== format) {
    throw new Error(
      `${storage.locate(marker)} is not of format ${format}: this lake was written by another version of Tapeline; ` +
        'use that one, or another TAPELINE_HOME',
    )
  }
}

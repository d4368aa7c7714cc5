import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import { openFolder, type Folder } from '#storage/folder.ts'

/** A whole backup has this file. */
const manifestPath = 'backup.json'
/** A folder has this file while a backup or a restore fills it. */
const unfinishedPath = 'unfinished.json'

const manifestShape = z.object({
  /** The id of the lake, and the number and the instant of its snapshot. */
  lake: z.string(),
  snapshot: z.number(),
  at: z.string(),
  n_files: z.number(),
  bytes: z.number(),
})

/** What a whole backup holds: the data files of the lake and their bytes. */
export type Manifest = z.infer<typeof manifestShape>

const unfinishedShape = z.object({ command: z.enum(['backup', 'restore']), lake: z.string() })

type Unfinished = z.infer<typeof unfinishedShape>

/** Reads the manifest of a backup. Throws if the folder is none, or if the backup did not end. */
export function readManifest(folder: string): Manifest {
  const text = textOf(join(folder, manifestPath))
  if (text !== undefined && textOf(join(folder, unfinishedPath)) === undefined)
    return manifestShape.parse(JSON.parse(text))
  throw new Error(`${folder}: no whole backup; expected a folder of \`tapeline backup\``)
}

/** Rejects a home that a backup or a restore has begun to fill. */
export function assertWhole(home: string): void {
  const text = textOf(join(home, unfinishedPath))
  if (text === undefined) return
  const { command } = unfinishedShape.parse(JSON.parse(text))
  throw new Error(`home ${home}: its ${command} did not end; expected the same \`tapeline ${command}\` again`)
}

/** Whether the same command of the same lake has begun to fill a folder. Any other folder is new or empty. */
export function isBegun(folder: string, begun: Unfinished): boolean {
  const text = textOf(join(folder, unfinishedPath))
  if (text !== undefined) {
    const { command, lake } = unfinishedShape.parse(JSON.parse(text))
    if (command === begun.command && lake === begun.lake) return true
    throw new Error(`${folder}: an unfinished ${command} of the lake ${lake}; expected an empty folder`)
  }
  if (existsSync(join(folder, manifestPath)))
    throw new Error(`${folder}: a whole backup of ${readManifest(folder).at}; expected an empty folder`)
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder}: not empty; expected an empty folder`)
  return false
}

/** Begins to fill a folder. No command takes it for a home until that ends. */
export async function beginFilling(folder: string, begun: Unfinished): Promise<Folder> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const target = openFolder(folder)
  await target.put(unfinishedPath, Buffer.from(JSON.stringify(begun)))
  return target
}

/** Makes a filled folder a whole one. A backup has a manifest. */
export async function endFilling(target: Folder, manifest?: Manifest): Promise<void> {
  if (manifest !== undefined) await target.put(manifestPath, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
  await target.delete(unfinishedPath)
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
      return undefined
    throw error
  }
}

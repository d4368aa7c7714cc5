import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The bytes of a snapshot's file are not those that were published. */
export class SnapshotDamaged extends Error {
  override name = 'SnapshotDamaged'
}

/**
 * Throws `SnapshotDamaged` if the SHA-256 of a snapshot's file differs from the one that was published with it. A
 * snapshot of an earlier version has no digest and passes.
 */
export async function assertIntact(dir: string, id: string): Promise<void> {
  const published = await publishedDigest(dir, id)
  if (published === null || (await fileDigest(join(dir, `${id}.duckdb`))) === published) return
  throw new SnapshotDamaged(`${id}.duckdb: damaged; expected a file with SHA-256 ${published.slice(0, 12)}…`)
}

/** The SHA-256 of a file, in hex. Small pieces leave the event loop to other work. */
export async function fileDigest(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path, { highWaterMark: 262_144 }), hash)
  return hash.digest('hex')
}

const publishedDigest = (dir: string, id: string): Promise<string | null> =>
  readFile(join(dir, `${id}.sha256`), 'utf8').then(
    (text) => text.trim(),
    (error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
      throw error
    },
  )

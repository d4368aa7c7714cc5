import { createHash } from 'node:crypto'

/**
 * Where a lake lives: five verbs over paths with forward slashes, relative to the root, and two more for DuckDB, which
 * opens files itself. A writer never leaves a partial file behind: what `list` and `get` show is whole.
 */
export type Storage = {
  /** The paths under a prefix, sorted. */
  list: (prefix: string) => Promise<string[]>
  /** The file's bytes; undefined where there is none. */
  get: (path: string) => Promise<Buffer | undefined>
  /** Stores bytes, or moves a finished local file in, replacing what was there in one step. */
  put: (path: string, body: Buffer | { file: string }) => Promise<void>
  /** Replaces a small file only if it is still the one with this etag (null: only if there is none). */
  putIfMatch: (path: string, body: Buffer, etag: string | null) => Promise<boolean>
  delete: (path: string) => Promise<void>
  /** What DuckDB opens for a path. */
  locate: (path: string) => string
  /**
   * Holds files as they are now under names in a local folder, which the caller removes: what is put later does not
   * show in them. DuckDB opens a file more than once for one statement, and cannot read one that was replaced in
   * between. Returns the names; a path that is gone has none.
   */
  pin: (paths: readonly string[], folder: string) => Promise<string[]>
}

/** The etag of a small file: its hash. */
export const etagOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

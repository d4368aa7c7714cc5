import { createHash } from 'node:crypto'

/**
 * The store of a lake: five verbs over paths with forward slashes, relative to the root, and two more for DuckDB, which
 * opens files itself. `list` and `get` never show a partial file.
 */
export type Storage = {
  /** The paths under a prefix, sorted. */
  list: (prefix: string) => Promise<string[]>
  has: (path: string) => Promise<boolean>
  /** The instant of the last write, in microseconds; undefined if there is no file. */
  modifiedAt: (path: string) => Promise<number | undefined>
  /** The file's bytes; undefined if there is no file. */
  get: (path: string) => Promise<Buffer | undefined>
  /** Stores bytes, or moves a finished local file in. An existing file is replaced in one step. */
  put: (path: string, body: Buffer | { file: string }) => Promise<void>
  /** Replaces a small file only if it still has this etag (null: only if there is no file). */
  putIfMatch: (path: string, body: Buffer, etag: string | null) => Promise<boolean>
  delete: (path: string) => Promise<void>
  /** The name that DuckDB opens for a path. */
  locate: (path: string) => string
  /**
   * Keeps the current files under names in a local folder, which the caller removes; later puts do not affect them.
   * DuckDB opens a file several times for one statement, and fails if the file was replaced in between. Returns the
   * names; a missing path has none.
   */
  pin: (paths: readonly string[], folder: string) => Promise<string[]>
}

/** The etag of a small file: its hash. */
export const etagOf = (body: Buffer): string => createHash('sha256').update(body).digest('hex')

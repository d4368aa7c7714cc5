import type { Readable } from 'node:stream'

import type { z } from 'zod'

/**
 * The store of a lake's facts: verbs over paths with forward slashes, relative to the root. No verb shows a partial
 * file. The catalog decides between writers.
 */
export type Storage = {
  /** The address of the root, as errors and the catalog name it; it ends with a slash. */
  root: string
  /** The paths under a prefix, sorted. */
  list: (prefix: string) => Promise<string[]>
  has: (path: string) => Promise<boolean>
  /** The instant of the last write, in microseconds; undefined if there is no file. */
  modifiedAt: (path: string) => Promise<number | undefined>
  /** The stored bytes. The stream fails if there is no file. */
  read: (path: string) => Readable
  /**
   * A local file with the bytes of a path, which DuckDB and other libraries open. It is the stored file, or a copy that
   * stays for as long as the path does. Of a missing file it throws, or names a file that does not exist.
   */
  localFile: (path: string) => Promise<string>
  /** Stores bytes, or moves a finished local file in. An existing file is replaced in one step. */
  put: (path: string, body: Buffer | { file: string }) => Promise<void>
  /**
   * Gives a file another path; returns false if there is none. A store without this verb copies and deletes. Of two
   * processes that move a file at once both may then have a copy, which wastes work and loses nothing.
   */
  move: (from: string, to: string) => Promise<boolean>
  delete: (path: string) => Promise<void>
}

/** Opens the storage of a home. Local copies go below the home. */
export type OpenStorage = (home: string) => Storage

/** A storage that an environment can choose: a file of this folder, and a name in `storages.ts`. */
export type StorageKind = {
  /** The settings by variable, each with a description. */
  settings: z.ZodObject
  /** The storage of an environment; undefined without its settings. */
  configure: (env: Record<string, string | undefined>) => OpenStorage | undefined
}

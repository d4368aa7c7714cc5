import type { StorageKind } from './storage.ts'

/**
 * The storages that an environment can choose in place of the folder of its home. Each has a file in this folder. The
 * first that has its settings is used.
 */
export const storages: readonly StorageKind[] = []

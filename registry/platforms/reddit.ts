import type { Platform } from './platform.ts'

export const reddit = { id: 'reddit', weight: 20 } as const satisfies Platform

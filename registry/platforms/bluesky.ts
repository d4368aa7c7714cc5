import type { Platform } from './platform.ts'

export const bluesky = { id: 'bluesky', weight: 10 } as const satisfies Platform

import type { Platform } from './platform.ts'

export const farcaster = { id: 'farcaster', weight: 10 } as const satisfies Platform

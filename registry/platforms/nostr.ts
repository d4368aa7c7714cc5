import type { Platform } from './platform.ts'

export const nostr = { id: 'nostr', weight: 2 } as const satisfies Platform

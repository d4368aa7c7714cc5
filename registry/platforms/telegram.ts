import type { Platform } from './platform.ts'

export const telegram = { id: 'telegram', weight: 3 } as const satisfies Platform

import type { Platform } from './platform.ts'

export const x = { id: 'x', weight: 25 } as const satisfies Platform

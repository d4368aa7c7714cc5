import type { Platform } from './platform.ts'

export const fourchan = { id: '4chan', weight: 5 } as const satisfies Platform

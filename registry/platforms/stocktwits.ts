import type { Platform } from './platform.ts'

export const stocktwits = { id: 'stocktwits', weight: 10 } as const satisfies Platform

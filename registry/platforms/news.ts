import type { Platform } from './platform.ts'

export const news = { id: 'news', weight: 15 } as const satisfies Platform

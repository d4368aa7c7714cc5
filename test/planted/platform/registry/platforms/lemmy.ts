import type { Platform } from '#registry/platforms/platform.ts'

export const lemmy = { id: 'lemmy', weight: 25 } as const satisfies Platform

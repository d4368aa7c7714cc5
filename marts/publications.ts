/** The files that marts are published in, each at its own pace: `scores` in minutes, `pulse` in seconds. */
export const publishes = ['scores', 'pulse'] as const

export type Publish = (typeof publishes)[number]

/**
 * Looks in an interval, and at `now`. A slow look takes the place of the next ones, since a queue of them would delay the
 * end. `end` ends the looks, after the one under way.
 */
export function lookEvery(
  every_ms: number,
  look: () => Promise<void>,
  onError: (error: unknown) => void,
): { now: () => void; end: () => Promise<void> } {
  let looking: Promise<void> | undefined
  const now = (): void => {
    looking ??= look()
      .catch(onError)
      .finally(() => {
        looking = undefined
      })
  }
  const timer = setInterval(now, every_ms)
  return {
    now,
    end: async () => {
      clearInterval(timer)
      await looking
    },
  }
}

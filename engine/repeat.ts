export type Repeated = { end: () => void; ended: Promise<void> }

/** Runs `round` at an interval; after a longer round, the next round starts at once. */
export function repeat(every_ms: number, round: () => Promise<void>): Repeated {
  let isEnding = false
  let wake: () => void = () => undefined
  const ended = (async () => {
    while (!isEnding) {
      const rest = new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, every_ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
      await round()
      await rest
    }
  })()
  const end = (): void => {
    isEnding = true
    wake()
  }
  return { end, ended }
}

export type Repeated = { end: () => void; ended: Promise<void> }

/** Does something, and again some time after it was begun, or once it is done if that takes longer. */
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

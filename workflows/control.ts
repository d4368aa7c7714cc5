import { condition, defineQuery, defineSignal, setHandler } from '#engine'

/** The state of a run that signals set. */
export type Control = {
  isPaused: boolean
  /** Requests in 10 seconds to the upstream, over all batches; null: the limit of the host. */
  rate: number | null
}

export const pause = defineSignal('pause')
export const resume = defineSignal('resume')
export const rate = defineSignal<[requestsPer10s: number | null]>('rate')
/** Every run reports its progress by this name. */
const progress = defineQuery<Control>('progress')

/** Registers the signal and query handlers. A pause takes effect before the next batch. */
export function handleSignals(state: Control): void {
  setHandler(progress, () => state)
  setHandler(pause, () => {
    state.isPaused = true
  })
  setHandler(resume, () => {
    state.isPaused = false
  })
  setHandler(rate, (requestsPer10s) => {
    state.rate = requestsPer10s
  })
}

/** Waits while the run is paused. */
export const waitWhilePaused = async (state: Control): Promise<void> => {
  if (state.isPaused) await condition(() => !state.isPaused)
}

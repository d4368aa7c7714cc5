import { useState } from 'preact/hooks'

import { refusalWords } from '#web/client/refusal_words.ts'
import { RequestError } from '#web/client/request.ts'

type State = { isBusy: boolean; error: string | null }

/** Runs an action once at a time, and keeps the message of its failure until it runs again or `forget` is called. */
export function useAction<A extends unknown[]>(act: (...args: A) => Promise<void>) {
  const [state, setState] = useState<State>({ isBusy: false, error: null })
  const run = async (...args: A): Promise<void> => {
    if (state.isBusy) return
    setState({ isBusy: true, error: null })
    try {
      await act(...args)
      setState({ isBusy: false, error: null })
    } catch (error) {
      setState({ isBusy: false, error: messageOf(error) })
    }
  }
  const forget = (): void => setState((before) => ({ ...before, error: null }))
  return { ...state, run, forget }
}

/** The message of a failure, for a person. */
export const messageOf = (error: unknown): string =>
  error instanceof RequestError
    ? refusalWords(error.message)
    : `The service gave an unexpected answer: ${String(error)}`

import { parseSignal, pathOf, type Query, type Signal } from './figures.ts'
import { forgetTokens, tokenFor } from './visit.ts'

const retry_ms = 3_000

type Callbacks = { onSignal: (signal: Signal) => void; onChange: (isOpen: boolean) => void }

/**
 * Streams the new signals of the feed until `ending`. A stream that ends, as with its token, continues after the last
 * event. `onChange` gets whether a stream is open.
 */
export async function streamFeed(query: Query, ending: AbortSignal, callbacks: Callbacks): Promise<void> {
  const place: { id: string | null } = { id: null }
  while (!ending.aborted) {
    try {
      await readStream(pathOf('/feed', query), place, ending, callbacks)
      // The end of a token ends its stream.
      forgetTokens()
    } catch {
      // The service is restarting, or the network was lost. The next attempt tells.
    }
    callbacks.onChange(false)
    await new Promise((resolve) => setTimeout(resolve, retry_ms))
  }
}

/** Reads one stream to its end. `EventSource` cannot send the token. */
async function readStream(
  path: string,
  place: { id: string | null },
  ending: AbortSignal,
  { onSignal, onChange }: Callbacks,
): Promise<void> {
  const headers: Record<string, string> = {
    accept: 'text/event-stream',
    authorization: `Bearer ${await tokenFor('GET /feed')}`,
  }
  if (place.id !== null) headers['last-event-id'] = place.id
  const response = await fetch(`v1${path}`, { headers, signal: ending })
  if (!response.ok || response.body === null) return
  onChange(true)
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const events = (rest + value).split('\n\n')
    rest = events.pop() ?? ''
    for (const event of events) {
      const fields = fieldsOf(event)
      if (fields['event'] !== 'signal' || fields['data'] === undefined) continue
      place.id = fields['id'] ?? place.id
      onSignal(parseSignal(fields['data']))
    }
  }
}

const fieldsOf = (event: string): Record<string, string> =>
  Object.fromEntries(
    event.split('\n').flatMap((line) => {
      const [, name = '', value = ''] = /^(\w+): ?(.*)$/.exec(line) ?? []
      return name === '' ? [] : [[name, value]]
    }),
  )

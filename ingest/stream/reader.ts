import type { Connections } from '#ingest/http/stream.ts'
import { valuesOf } from '#ingest/setting.ts'
import type { Part, StreamReader, StreamSource, StreamTools } from '#ingest/source.ts'

/**
 * The connections of a run of a stream, and the reader of their messages. `cursorOf` returns the cursor of the last
 * event, after which an upstream with cursors continues.
 */
export function readerOf(
  { lake, clock }: StreamTools,
  source: StreamSource,
  part: Part,
  cursorOf: () => string | null,
): Pick<StreamReader, 'parse' | 'refresh'> & { connections: Connections } {
  const settings = valuesOf(source)
  if ('open' in source) {
    const { parse, refresh, ...connections } = source.open({ lake, clock, part, settings, cursorOf })
    return { parse, refresh, connections }
  }
  const next = () => source.connect(part, cursorOf(), settings)
  return {
    connections: { next, ...(source.sockets === undefined ? {} : { sockets: source.sockets }) },
    parse: (text) => {
      const event = source.parse(text, cursorOf(), settings)
      return event === null ? [] : [event]
    },
    refresh: async () => undefined,
  }
}

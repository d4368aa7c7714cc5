import { z } from 'zod'

import { defineSource, type StreamSource } from '#ingest/source.ts'
import { tinyHost } from '#test/ingest/tiny.ts'
import { quote } from '#test/lake/fixture.ts'

export const plantedStream: StreamSource = defineSource({
  kind: 'stream',
  name: 'planted_stream',
  doc: 'Quotes over a websocket.',
  parts: [{ name: 'feed', upstreams: [tinyHost] }],
  datasets: ['quotes'],
  unit: 'hour',
  precedence: 1,
  lag_s: 0,
  settle_s: 60,
  grid_s: 1,
  silence_s: 2,
  follow: { group: 'planted' },
  typical: { requests: 1, rows: 1_000, bytes: 100_000 },
  connect: (part, cursor) => ({ host: part.upstreams[0].name, path: '/', query: cursor === null ? {} : { cursor } }),
  parse: (text, after) => {
    const { seq, at } = messageShape.parse(JSON.parse(text))
    if (seq === undefined) return { cursor: after, at, rows: {} }
    const isGap = after !== null && seq > Number(after) + 1
    return {
      cursor: String(seq),
      at,
      rows: { quotes: [quote(String(seq), at)] },
      ...(isGap ? { gap: `messages ${Number(after) + 1} to ${seq - 1} are gone` } : {}),
    }
  },
})

const messageShape = z.object({ seq: z.number().optional(), at: z.number() })

import { valueNames } from '#sources/chain_table.ts'

import type { Decoder, Field, LogDataset, RawLog, Read } from './decoder.ts'
import { columnRead } from './fields.ts'
import { parseEvent } from './signature.ts'
import { MalformedLog } from './words.ts'

/**
 * A log as the values of a row in the order of `valueNames`, as a rejected row with its reason, or as nothing that is
 * read.
 */
export type Decoded =
  | { dataset: LogDataset; values: unknown[] }
  | { dataset: 'rejected'; target: LogDataset; reason: string }
  | undefined

/** Decodes one log by its first topic. It never throws: a log that contradicts its event is rejected. */
export type DecodeLog = (log: RawLog) => Decoded

/** Makes the function that decodes logs of events. Throws an error if two events have the same hash. */
export function compile(decoders: readonly LoadedDecoder[]): DecodeLog {
  const byTopic = new Map<string, LoadedDecoder>()
  for (const decoder of decoders) {
    const other = byTopic.get(decoder.topic0)
    if (other !== undefined) throw new Error(`${decoder.event}: the hash of ${other.event}; expected one of its own`)
    byTopic.set(decoder.topic0, decoder)
  }
  return (log) => {
    const decoder = byTopic.get(log.topics[0] ?? '')
    return decoder === undefined ? undefined : decode(decoder, log)
  }
}

/** A decoder with what follows from its event. `row` has the values that all logs share. */
export type LoadedDecoder = {
  event: string
  dataset: LogDataset
  topic0: string
  n_topics: number
  n_words: number
  unrelated: readonly number[]
  isFact: Read<boolean> | undefined
  row: readonly unknown[]
  /** The readers of the other values, and their places in the row. */
  reads: readonly Read[]
  places: readonly number[]
}

/** Makes the readers of the logs of an event. Throws an error if a field or a column is unknown. */
export function loadDecoder(decoder: Decoder): LoadedDecoder {
  const { event: text, dataset = 'swaps', unrelated = [] } = decoder
  const event = parseEvent(text)
  const names = valueNames(dataset)
  const columns: Readonly<Record<string, Field>> = decoder.map
  const { pool } = columns
  const map = dataset === 'swaps' && pool !== 'this' ? { ...columns, emitter: emitter(pool) } : columns
  const unknown = Object.keys(map).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new Error(`${text}: no column ${unknown} in ${dataset}; expected one`)
  const sorted = Object.entries(map).toSorted(([a], [b]) => names.indexOf(a) - names.indexOf(b))
  return {
    ...event,
    dataset,
    unrelated,
    isFact: decoder.isFact?.(event),
    row: names.map((name) => ('family' in decoder && name === 'family' ? decoder.family : null)),
    reads: sorted.map(([name, field]) => columnRead(event, name, field)),
    places: sorted.map(([name]) => names.indexOf(name)),
  }
}

/** The contract that emitted a swap, where it is not the pool itself. */
const emitter =
  (pool: Field | undefined): Field =>
  (event) => {
    const read = pool === undefined ? () => null : columnRead(event, 'pool', pool)
    return (log) => (read(log) === log.address ? null : log.address)
  }

function decode(loaded: LoadedDecoder, log: RawLog): Decoded {
  const { dataset, n_topics, n_words, unrelated, isFact, row, reads, places } = loaded
  const { length } = log.topics
  if (length !== n_topics) {
    if (unrelated.includes(length)) return undefined
    return { dataset: 'rejected', target: dataset, reason: `${length} topics; expected ${n_topics}` }
  }
  if (log.data.length < 2 + 64 * n_words)
    return {
      dataset: 'rejected',
      target: dataset,
      reason: `${log.data.length / 2 - 1} bytes; expected ${32 * n_words}`,
    }
  try {
    if (isFact?.(log) === false) return undefined
    const values = row.slice()
    for (let n = 0; n < reads.length; n++) values[places[n] ?? 0] = reads[n]?.(log)
    return { dataset, values }
  } catch (error) {
    // BigInt throws a SyntaxError for text that is no number.
    if (error instanceof MalformedLog || error instanceof SyntaxError)
      return { dataset: 'rejected', target: dataset, reason: error.message }
    throw error
  }
}

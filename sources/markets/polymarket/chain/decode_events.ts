import { parseEvent } from '#sources/evm/decode/event/signature.ts'
import { MalformedLog } from '#sources/evm/decode/event/words.ts'
import type { LogFilter } from '#sources/evm/rpc/log_checks.ts'

import type { ChainEvent, ChainLog } from './chain_events.ts'
import { readers, type Reader } from './event_readers.ts'

type LoadedReader = Reader & { topic0: string; n_topics: number; n_words: number }

const loaded: readonly LoadedReader[] = readers.map((reader) => ({ ...reader, ...parseEvent(reader.event) }))

const byTopic = new Map<string, LoadedReader[]>()
for (const reader of loaded) byTopic.set(reader.topic0, [...(byTopic.get(reader.topic0) ?? []), reader])

/**
 * Decodes a log. Undefined: it is no event of the venue. Throws a `MalformedLog` if a contract of the venue emitted it
 * and it is not what its event says.
 */
export function decodeEvent(log: ChainLog): ChainEvent | undefined {
  const reader = byTopic.get(log.topics[0] ?? '')?.find((each) => isOf(each, log))
  if (reader === undefined) return undefined
  try {
    if (log.topics.length !== reader.n_topics)
      throw new MalformedLog(`${log.topics.length} topics; expected ${reader.n_topics}`)
    if (log.data.length < 2 + 64 * reader.n_words)
      throw new MalformedLog(`${log.data.length / 2 - 1} bytes; expected ${32 * reader.n_words}`)
    return reader.read(log)
  } catch (error) {
    // Any contract may emit the events of a pool.
    if (error instanceof MalformedLog && reader.emitters === 'any') return undefined
    throw error
  }
}

const isOf = ({ emitters, parties }: Reader, { address, topics }: ChainLog): boolean =>
  (emitters === 'any' || emitters.includes(address)) &&
  (parties ?? []).every((accepted, n) => accepted?.some((party) => topics[n + 1] === wordOf(party)) ?? true)

const wordOf = (address: string): string => `0x${address.slice(2).padStart(64, '0')}`

/** What is asked of a node: the events of the venue's contracts in one call, and three kinds by their topics. */
export const chainFilter: LogFilter = {
  ...filterOf(loaded.filter(({ emitters, parties }) => emitters !== 'any' && parties === undefined)),
  others: [
    filterOf(loaded.filter(({ emitters }) => emitters === 'any')),
    ...loaded.filter(({ parties }) => parties !== undefined).map((reader) => filterOf([reader])),
  ],
}

function filterOf(some: readonly LoadedReader[]): LogFilter {
  const emitters = some.flatMap((reader) => (reader.emitters === 'any' ? [] : reader.emitters))
  const [first] = some
  return {
    topics: [...new Set(some.map(({ topic0 }) => topic0))],
    ...(emitters.length > 0 && { addresses: [...new Set(emitters)] }),
    ...(first?.parties !== undefined && { parties: first.parties.map((accepted) => accepted?.map(wordOf) ?? null) }),
  }
}

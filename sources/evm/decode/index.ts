import { balancer } from './balancer.ts'
import { bins } from './bins.ts'
import { concentrated } from './concentrated.ts'
import { constantProduct } from './constant_product.ts'
import { creations } from './creations.ts'
import { curve } from './curve.ts'
import type { EventDecoder, PoolEvent, RawLog, SwapEvent, TransferEvent, UserOperationEvent } from './event.ts'
import { quoted } from './quoted.ts'
import { intents } from './routes/intents.ts'
import { orders } from './routes/orders.ts'
import { paraswapRoutes } from './routes/paraswap.ts'
import { routers } from './routes/routers.ts'
import { singleton } from './singleton.ts'
import { transfers } from './transfers.ts'
import { userOperations } from './user_operations.ts'
import { MalformedLog } from './words.ts'

export type { RawLog, SwapEvent, TransferEvent } from './event.ts'

/** All events that are read, from any address. A family is one line here. */
export const decoders: readonly EventDecoder[] = [
  ...constantProduct,
  ...concentrated,
  ...singleton,
  ...curve,
  ...balancer,
  ...bins,
  ...quoted,
  ...routers,
  ...paraswapRoutes,
  ...orders,
  ...intents,
  ...transfers,
  ...userOperations,
  ...creations,
]

const byTopic = new Map(decoders.map((decoder) => [decoder.topic0, decoder]))

/** The first topics of the events of a dataset. */
export const topicsOf = (dataset: EventDecoder['dataset']): readonly string[] =>
  decoders.filter((decoder) => decoder.dataset === dataset).map(({ topic0 }) => topic0)

/** A log as a fact, as a rejected row with its reason, or as nothing that is read. */
export type Decoded =
  | { dataset: 'swaps'; row: SwapEvent }
  | { dataset: 'transfers'; row: TransferEvent }
  | { dataset: 'user_operations'; row: UserOperationEvent }
  | { dataset: 'pools'; row: PoolEvent }
  | { dataset: 'rejected'; of: EventDecoder['dataset']; reason: string }
  | undefined

/** Decodes one log by its first topic. It never throws: a log that contradicts its event is rejected. */
export function decodeLog(log: RawLog): Decoded {
  const decoder = byTopic.get(log.topics[0] ?? '')
  if (decoder === undefined) return undefined
  const { dataset, n_topics, n_words } = decoder
  const given = log.topics.length
  if (given !== n_topics) {
    if (decoder.unrelated?.includes(given) === true) return undefined
    return { dataset: 'rejected', of: dataset, reason: `${given} topics; expected ${n_topics}` }
  }
  if (log.data.length < 2 + 64 * n_words) {
    return { dataset: 'rejected', of: dataset, reason: `${log.data.length / 2 - 1} bytes; expected ${32 * n_words}` }
  }
  try {
    const row = decoder.decode(log)
    return row === undefined ? undefined : ({ dataset, row } as Decoded)
  } catch (error) {
    // BigInt throws a SyntaxError for text that is no number.
    if (error instanceof MalformedLog || error instanceof SyntaxError)
      return { dataset: 'rejected', of: dataset, reason: error.message }
    throw error
  }
}

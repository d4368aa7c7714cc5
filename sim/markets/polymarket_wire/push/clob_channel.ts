import type { Market, World } from '#sim/markets/types.ts'
import { bookOf, type Book } from '#sim/markets/wire/book.ts'
import { countUpTo, createIndexes, type Indexes } from '#sim/markets/wire/indexes.ts'
import { mix } from '#sim/random.ts'
import type { Channel, Feed, FrameShape, Heard, PushedMessage } from '#sim/server/push.ts'
import type { Micros } from '#time.ts'

/** Seconds from a match to its messages: as measured, a median of 0.09 and nine in ten within 0.22. */
const delay = { least_s: 0.05, spread_s: 0.2 }
const longest_s = delay.least_s + delay.spread_s

/** A frame with more ids ends the connection; more tokens of a connection are ignored. */
const most = { ids: 100, tokens: 500 }

/**
 * The market channel of the order book: the books of the tokens to which a connection subscribes, and their changes,
 * which follow from the matches. A change names both tokens of its market, and as `price_change`, `best_bid_ask`
 * or both. Events of other types come between them.
 */
export function createClobChannel(world: World): Feed {
  // Made when somebody listens: most worlds are only polled.
  let indexes: Indexes | undefined
  const marketOf = new Map<string, Market>()
  for (const market of world.markets) for (const id of market.tokenIds) marketOf.set(inDecimal(id), market)

  return (): Channel => {
    const subscribed = new Set<string>()
    const isNamed = ({ tokenIds }: Market): boolean => tokenIds.some((id) => subscribed.has(inDecimal(id)))
    const loadIndexes = (): Indexes => (indexes ??= createIndexes(world))
    const bookAt = (market: Market, at_s: number): Book => bookOf(world, loadIndexes(), market, at_s)

    const subscribe = (tokens: readonly string[], now: Micros): Heard => {
      if (tokens.length > most.ids) return { isRefused: true }
      const added = tokens.filter((token) => marketOf.has(token)).slice(0, most.tokens - subscribed.size)
      for (const token of added) subscribed.add(token)
      return { messages: added.flatMap((token) => snapshotOf(token, Math.floor(now / 1e6))) }
    }

    /** The book of a token, with the time of its last change. */
    const snapshotOf = (token: string, now_s: number): PushedMessage[] => {
      const market = marketOf.get(token)
      if (market === undefined || market.createdAt_s > now_s) return []
      const match = loadIndexes().lastMatch(market.index, now_s)
      const at_s = match < 0 ? market.createdAt_s : (world.matches.ts_s[match] ?? 0)
      const { bid, ask } = bestOf(bookAt(market, at_s), token === inDecimal(market.tokenIds[1]))
      const [bids, asks] = [levels(bid, -10_000), levels(ask, 10_000)]
      const payload = { market: market.conditionId, asset_id: token, bids, asks, timestamp: `${at_s}000` }
      return [{ tx: mix(market.index, at_s), type: 'book', payload }]
    }

    const due = (from: Micros, to: Micros): PushedMessage[] => {
      const { matches } = world
      const at = (match: number): number => matches.ts_s[match] ?? 0
      const first = countUpTo(matches.length, at, Math.floor(from / 1e6 - longest_s) - 1)
      const last = countUpTo(matches.length, at, to / 1e6)
      const seen = new Set<string>()
      const messages = []
      for (let match = first; match < last; match += 1) {
        const market = world.markets[matches.market[match] ?? -1]
        if (market === undefined || !isNamed(market)) continue
        const tx = mix(market.index, at(match))
        const sent = Math.round((at(match) + delay.least_s + (delay.spread_s * mix(tx, 77)) / 2 ** 32) * 1e6)
        // The matches of one second have one book.
        if (sent <= from || sent > to || seen.has(`${tx}`)) continue
        seen.add(`${tx}`)
        messages.push(...changesOf(market, at(match), { tx, book: bookAt(market, at(match)) }))
      }
      return messages
    }

    return {
      hear: (text, now) => {
        if (text === 'PING') return { reply: 'PONG' }
        const { type, operation, assets_ids } = JSON.parse(text) as Record<string, unknown>
        const tokens = Array.isArray(assets_ids) ? assets_ids.map(String) : []
        return type === 'market' || operation === 'subscribe' ? subscribe(tokens, now) : {}
      },
      due,
      frame: frameOf,
    }
  }
}

/** A token id as the channel writes it. */
const inDecimal = (id: string): string => (id.startsWith('0x') ? BigInt(id).toString() : id)

type Best = { bid: number | null; ask: number | null }

/** The best prices of a token; the second token of a market has the mirrored ones. */
const bestOf = ({ bid, ask }: Best, isMirrored: boolean): Best =>
  isMirrored ? { bid: ask === null ? null : 1_000_000 - ask, ask: bid === null ? null : 1_000_000 - bid } : { bid, ask }

/** Two levels of a side; the best one is last. */
const levels = (best: number | null, step: number) =>
  (best === null ? [] : [best + step, best])
    .filter((price) => price > 0 && price < 1_000_000)
    .map((price) => ({ price: String(price / 1e6), size: '150.5' }))

function changesOf(market: Market, at_s: number, { tx, book }: { tx: number; book: Best }): PushedMessage[] {
  const timestamp = `${at_s}000`
  const texts = market.tokenIds.map((id, n) => {
    const { bid, ask } = bestOf(book, n === 1)
    return { asset_id: inDecimal(id), best_bid: String((bid ?? 0) / 1e6), best_ask: String((ask ?? 1_000_000) / 1e6) }
  })
  const about = { market: market.conditionId, timestamp }
  const change = texts.map((text) => ({ ...text, price: text.best_bid, side: 'BUY', size: '10', hash: '0x1' }))
  const kind = mix(tx, 5) % 3
  return [
    { tx, type: 'last_trade_price', payload: { ...about, asset_id: texts[0]?.asset_id, price: '0.5', size: '10' } },
    ...(kind < 2 ? [{ tx, type: 'price_change', payload: { ...about, price_changes: change } }] : []),
    ...(kind > 0 ? texts.map((text) => ({ tx, type: 'best_bid_ask', payload: { ...about, ...text } })) : []),
    ...(mix(tx, 6) % 5 === 0 ? [{ tx, type: 'liquidity_hint', payload: { ...about, depth: { left: 3 } } }] : []),
  ]
}

const frameOf = (message: PushedMessage, shape: FrameShape): string => JSON.stringify(shapedFrame(message, shape))

/** An event, alone or in a list. A broken one has a price that is no number. */
function shapedFrame({ tx, type, payload }: PushedMessage, shape: FrameShape): unknown {
  const usual = { event_type: type, ...payload }
  if (shape === 'unnamed') return { ...usual, event_type: `${type}_2` }
  if (shape === 'retyped') return [{ ...usual, timestamp: Number(payload['timestamp']) }]
  if (shape === 'broken') return JSON.parse(JSON.stringify(usual).replace(/"(best_bid|price)":"[^"]*"/, '"$1":"half"'))
  return type === 'book' || tx % 2 === 0 ? [usual] : usual
}

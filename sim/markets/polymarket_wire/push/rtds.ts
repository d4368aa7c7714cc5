import { createRowWriter, type RowWriter } from '#sim/markets/polymarket_wire/rows.ts'
import type { World } from '#sim/markets/types.ts'
import { countUpTo, createIndexes } from '#sim/markets/wire/indexes.ts'
import { mix } from '#sim/random.ts'
import type { Channel, Feed, FrameShape, PushedMessage } from '#sim/server/push.ts'
import type { Micros } from '#time.ts'

/** Seconds from a match to its message: as measured, a median of two and nine in ten within 2.7. */
const delay = { least_s: 1.3, spread_s: 1.5 }
const longest_s = delay.least_s + delay.spread_s

/**
 * The pushed trades: each fill as `trades`, and the taker's of each match as `orders_matched`. Names are those of the
 * Data API's version 1; the time is one second before the block's, and wallets have letters of both cases.
 */
export function createRtds(world: World): Feed {
  const { matches, fills } = world
  // Made when somebody listens: most worlds are only polled.
  let writer: RowWriter | undefined
  const tsOf = (fill: number): number => matches.ts_s[fills.match[fill] ?? 0] ?? 0

  const due = (from: Micros, to: Micros): PushedMessage[] => {
    const first = countUpTo(fills.length, tsOf, Math.floor(from / 1e6 - longest_s) - 1)
    const last = countUpTo(fills.length, tsOf, to / 1e6)
    writer ??= createRowWriter(world, createIndexes(world), 'v1', (_kind, _row, text) => text)
    const messages = []
    for (let fill = first; fill < last; fill += 1) {
      const tx = matches.tx[fills.match[fill] ?? 0] ?? 0
      const at = Math.round((tsOf(fill) + delay.least_s + (delay.spread_s * mix(tx, 77)) / 2 ** 32) * 1e6)
      if (at <= from || at > to) continue
      const payload = payloadOf(writer.trade(fill, to / 1e6))
      messages.push({ tx, type: 'trades', payload })
      if (fills.isTaker[fill] === 1) messages.push({ tx, type: 'orders_matched', payload })
    }
    return messages
  }

  return (): Channel => {
    let isSubscribed = false
    return {
      hear: (text) => {
        // Without the word `action` a subscription is ignored.
        isSubscribed ||= text.includes('"action":"subscribe"')
        return text === 'PING' ? { reply: '' } : {}
      },
      due: (from, to) => (isSubscribed ? due(from, to) : []),
      frame: frameOf,
    }
  }
}

const frameOf = (message: PushedMessage, shape: FrameShape, now: Micros): string =>
  JSON.stringify(shapedFrame(message, shape, now))

function shapedFrame({ type, payload }: PushedMessage, shape: FrameShape, now: Micros): unknown {
  const usual = { connection_id: 'simulated', topic: 'activity', type, timestamp: Math.round(now / 1000), payload }
  if (shape === 'usual') return usual
  if (shape === 'unnamed') return { connection_id: 'simulated', payload }
  if (shape === 'retyped') return { ...usual, payload: { ...payload, timestamp: String(payload['timestamp']) } }
  return { ...usual, payload: { ...payload, size: 'twelve' } }
}

function payloadOf(row: string): Record<string, unknown> {
  const { proxyWallet, timestamp, ...rest } = JSON.parse(row) as Record<string, unknown>
  return { ...rest, proxyWallet: inBothCases(String(proxyWallet)), timestamp: Number(timestamp) - 1 }
}

/** An address with some upper-case letters, as a checksum has them. */
const inBothCases = (address: string): string =>
  address.replaceAll(/[a-f]/g, (letter, at: number) =>
    at > 1 && mix(at, letter.charCodeAt(0)) % 2 === 0 ? letter.toUpperCase() : letter,
  )

import type { Event, Market, World } from '#sim/markets/types.ts'
import { countUpTo } from '#sim/markets/wire/indexes.ts'
import { mix } from '#sim/random.ts'
import type { Channel, Feed, FrameShape, PushedMessage } from '#sim/server/push.ts'
import type { Micros } from '#time.ts'

import { instant } from './descriptions.ts'
import { exposedWorld, isMade } from './exposed_world.ts'

/** Seconds from a creation or resolution to its message. */
const delay = { least_s: 0.5, spread_s: 2 }
/** Of the server: the time of the world between two pings, and that of the machine for an answer. */
const ping = { every: 25_000_000, answered_ms: 20_000 }
const namespace = '/markets'

/**
 * The lifecycle channel: Engine.IO 4 over a websocket, with the namespace `/markets`. A client that sends an event
 * before the namespace has accepted it is cut off, and so is a client that does not answer a ping.
 */
export function createLifecycle(whole: World): Feed {
  // Made when somebody listens: most worlds are only polled.
  let messages: { at: Micros; message: PushedMessage }[] | undefined
  const due = (from: Micros, to: Micros): PushedMessage[] => {
    messages ??= messagesOf(exposedWorld(whole))
    const timeline = messages
    const indexOf = (at: Micros): number => countUpTo(timeline.length, (i) => timeline[i]?.at ?? 0, at)
    return timeline.slice(indexOf(from), indexOf(to)).map(({ message }) => message)
  }
  return (): Channel => {
    let [isAccepted, isSubscribed] = [false, false]
    let [isAwaited, answered_ms] = [false, performance.now()]
    let pingedAt: Micros | undefined
    return {
      protocol: (now) => {
        if (pingedAt === undefined) {
          pingedAt = now
          return [`0${JSON.stringify({ sid: 'simulated', upgrades: [], pingInterval: 25_000, pingTimeout: 20_000 })}`]
        }
        if (now - pingedAt < ping.every) return []
        // The former ping has had no answer, and neither have those before it for the time of the machine.
        if (performance.now() - answered_ms > ping.answered_ms && isAwaited) return null
        pingedAt = now
        isAwaited = true
        return ['2']
      },
      hear: (text) => {
        if (text === '3') [isAwaited, answered_ms] = [false, performance.now()]
        else if (text === `40${namespace},`) isAccepted = true
        else if (!isAccepted || !text.startsWith(`42${namespace},`)) return { isRefused: true }
        else isSubscribed ||= text.startsWith(`42${namespace},["subscribe_market_lifecycle"`)
        if (text === `40${namespace},`) return { reply: `40${namespace},{"sid":"simulated"}` }
        return text.startsWith('42') ? { reply: `42${namespace},["system",{"message":"Subscribed"}]` } : {}
      },
      due: (from, to) => (isSubscribed ? due(from, to) : []),
      frame: frameOf,
    }
  }
}

/** The messages of a world, in order of time. */
function messagesOf(world: World): { at: Micros; message: PushedMessage }[] {
  const sent = (at_s: number, message: PushedMessage) => ({
    at: Math.round((at_s + delay.least_s + (delay.spread_s * mix(message.tx, 77)) / 2 ** 32) * 1e6),
    message,
  })
  return world.markets
    .filter(({ kind }) => kind !== 'legacy')
    .flatMap((market) => {
      const created = sent(market.createdAt_s, createdMessage(market, world.events[market.event]))
      return market.result === 'none' ? [created] : [created, sent(market.resolvedAt_s, resolvedMessage(market))]
    })
    .toSorted((a, b) => a.at - b.at)
}

const typeOf = (market: Market): string => (isMade(market) ? 'AMM' : 'CLOB')

const createdMessage = (market: Market, event: Event | undefined): PushedMessage => ({
  tx: mix(market.index, 1),
  type: 'marketCreated',
  payload: {
    slug: market.slug,
    title: market.groupItemTitle === '' ? market.question : market.groupItemTitle,
    type: typeOf(market),
    ...(market.kind === 'neg_risk' && event !== undefined && { groupSlug: event.slug }),
    categoryIds: [market.index % 7],
    createdAt: instant(market.createdAt_s),
  },
})

/** A void market has no winner. */
const resolvedMessage = (market: Market): PushedMessage => {
  const winner = { first: 0, second: 1 }[market.result as string] ?? null
  return {
    tx: mix(market.index, 2),
    type: 'marketResolved',
    payload: {
      slug: market.slug,
      type: typeOf(market),
      winningOutcome: winner === null ? '' : (['YES', 'NO'][winner] ?? ''),
      winningIndex: winner,
      resolutionDate: instant(market.resolvedAt_s),
    },
  }
}

function frameOf({ type, payload }: PushedMessage, shape: FrameShape): string {
  const { createdAt, resolutionDate, winningIndex, ...rest } = payload
  const dates = Object.entries({ createdAt, resolutionDate }).filter(([, date]) => date !== undefined)
  const inMillis = Object.fromEntries(dates.map(([name, date]) => [name, Date.parse(String(date))]))
  const index = typeof winningIndex === 'number' ? { winningIndex: `${winningIndex}` } : {}
  const shown = shape === 'retyped' ? { ...rest, ...index, ...inMillis } : payload
  const body = shape === 'broken' ? { ...shown, slug: 7 } : shown
  return `42${namespace},${JSON.stringify([shape === 'unnamed' ? `${type}_2` : type, body])}`
}

import type { Answer } from '#ingest/http/connection.ts'

import { answerOf } from './relay_message.ts'

/** Relays show so many stored events of a request, or fewer. */
const MOST_STORED = 500
const MOST_PAGES = 200
/** The most stored events of a subscription, which are held until the last one. */
export const MOST_HELD = 20_000
const OLDER = ' older'
/** Stored events no longer wait for an older page without a message of it for so many refreshes, about 30 s. */
const MOST_QUIET = 6

/** The subscription whose older events a subscription shows, or itself. */
export const subscriptionOf = (name: string): string => (name.endsWith(OLDER) ? name.slice(0, -OLDER.length) : name)

/**
 * The place of a subscription in its stored events: those of `name` are shown, down to `oldest` so far. `n_most` is the
 * number of events of the largest page before, and `n_quiet` that of refreshes since a message of this one.
 */
type Place = {
  name: string
  until: number
  oldest: number
  n_events: number
  n_most: number
  n_pages: number
  n_quiet: number
}
const firstPlace = { until: Infinity, oldest: Infinity, n_events: 0, n_most: 0, n_pages: 1, n_quiet: 0 }

/**
 * The protocol of one connection whose relay shows stored events in pages. `asked` has the filters of its subscriptions
 * by name. While a page has older events than the one before, the next one is asked for, so that only the end of the
 * last page is a message. `onCut` is called for a subscription whose stored events were not shown to their end.
 *
 * A relay may answer a request for an older page by a notice, which names none, or not at all. After a notice, or
 * enough calls of `onRefresh` without a message of the page, the subscription gets an end, so that its events do not
 * wait. A page that comes nevertheless is read.
 */
export function storedPages(
  asked: ReadonlyMap<string, object>,
  { isPaged, onCut }: { isPaged: boolean; onCut: (subscription: string) => void },
): { hello: () => readonly string[]; answer: (text: string) => Answer; onRefresh: () => void } {
  const places = new Map<string, Place>()
  const released = new Set<string>()
  /** The request for the next page; null after the last one. */
  const next = (subscription: string, place: Place): string[] | null => {
    const { oldest, until, n_events, n_pages } = place
    const n_most = Math.max(place.n_most, n_events)
    const hasOlder = isPaged && oldest < until
    if (hasOlder && n_pages < MOST_PAGES) {
      const name = `${subscription}${OLDER}`
      places.set(subscription, { ...firstPlace, name, until: oldest, oldest, n_most, n_pages: n_pages + 1 })
      return [ask(name, asked.get(subscription), oldest)]
    }
    // A second with more events than a page is not shown to its end. A single event is no full page of any relay.
    if (hasOlder || (n_events > 1 && n_events === n_most)) onCut(subscription)
    places.delete(subscription)
    return null
  }
  const answerTo = (text: string): readonly string[] | 'end' | null => {
    const [, kind, name = ''] = /^\s*\[\s*"(EVENT|EOSE|CLOSED)"\s*,\s*"([^"\\]*)"/.exec(text) ?? []
    const subscription = subscriptionOf(name)
    const place = places.get(subscription)
    if (kind === 'CLOSED' && name !== subscription) {
      // The relay shows no older events, and the connection has the new ones.
      onCut(subscription)
      places.delete(subscription)
      return null
    }
    if (kind !== undefined && kind !== 'CLOSED' && place?.name === name) {
      place.n_quiet = 0
      if (kind === 'EOSE') return next(subscription, place)
      // Within a text of the event, the quotes are escaped.
      const at = Number(/"created_at"\s*:\s*(\d{1,15})\b/.exec(text)?.[1] ?? Infinity)
      place.oldest = Math.min(place.oldest, at)
      place.n_events += 1
    }
    return answerOf(text)
  }
  /** The ends of the subscriptions whose older page does not come. */
  const endsAt = (text: string): string[] =>
    [...places]
      .filter(([subscription, place]) => !released.has(subscription) && isLate(subscription, place, text))
      .map(([subscription, { name }]) => {
        released.add(subscription)
        onCut(subscription)
        return JSON.stringify(['EOSE', name])
      })
  return {
    hello: () => {
      places.clear()
      for (const name of asked.keys()) places.set(name, { ...firstPlace, name })
      return [...asked].map(([name, filter]) => ask(name, filter))
    },
    answer: (text) => {
      const answer = answerTo(text)
      // A request goes out now, and the ends come with the next message.
      if (answer === 'end' || (answer !== null && answer.length > 0)) return answer
      const ends = endsAt(text)
      if (ends.length === 0) return answer
      return { messages: answer === null ? [...ends, text] : ends }
    },
    onRefresh: () => {
      for (const place of places.values()) place.n_quiet += 1
    },
  }
}

const ask = (name: string, filter: object | undefined, until?: number): string =>
  JSON.stringify(['REQ', name, { ...filter, until, limit: MOST_STORED }])

/** Whether an older page of a subscription no longer comes, by a text of the relay. */
const isLate = (subscription: string, { name, n_quiet }: Place, text: string): boolean =>
  name !== subscription && (n_quiet >= MOST_QUIET || /^\s*\[\s*"NOTICE"/.test(text))

import { useEffect, useState } from 'preact/hooks'

import { streamFeed } from '#web/client/feed_stream.ts'
import { readFeed, type Query, type Signal } from '#web/client/figures.ts'
import { messageOf } from '#web/ui/use_action.ts'

/** The newest signals first; `isLive` while new ones arrive by themselves. `fresh` has those that arrived so. */
export type LiveFeed = { signals: Signal[] | null; fresh: ReadonlySet<string>; isLive: boolean; error: string | null }

const none: LiveFeed = { signals: null, fresh: new Set(), isLive: false, error: null }

/** Reads the latest signals of a type (empty: of all), and then streams new ones. */
export function useFeed(type: string, limit: number): LiveFeed {
  const [feed, setFeed] = useState<LiveFeed>(none)
  useEffect(() => {
    const ending = new AbortController()
    setFeed(none)
    void follow({ type, limit }, ending.signal, (change) => {
      if (!ending.signal.aborted) setFeed(change)
    })
    return () => ending.abort()
  }, [type, limit])
  return feed
}

type Change = (before: LiveFeed) => LiveFeed

async function follow(
  { type, limit }: { type: string; limit: number },
  ending: AbortSignal,
  set: (change: Change) => void,
): Promise<void> {
  const query: Query = { type, limit: String(limit) }
  try {
    const { body } = await readFeed(query)
    set((before) => ({ ...before, signals: body.toSorted(byTime) }))
    const since =
      body
        .map(({ timestamp }) => timestamp)
        .sort()
        .at(-1) ?? ''
    await streamFeed({ type, since }, ending, {
      onSignal: (signal) => set((before) => withSignal(before, signal, limit)),
      onChange: (isLive) => set((before) => ({ ...before, isLive })),
    })
  } catch (error) {
    set((before) => ({ ...before, error: messageOf(error) }))
  }
}

const byTime = (a: Signal, b: Signal): number => (a.timestamp < b.timestamp ? 1 : -1)

const withSignal = (before: LiveFeed, signal: Signal, limit: number): LiveFeed => {
  const others = (before.signals ?? []).filter(({ id }) => id !== signal.id)
  return {
    ...before,
    signals: [signal, ...others].toSorted(byTime).slice(0, limit),
    fresh: new Set([...before.fresh, signal.id]),
  }
}

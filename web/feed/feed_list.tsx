import { Failure } from '#web/ui/notice.tsx'

import { SignalItem } from './signal_item.tsx'
import type { LiveFeed } from './use_feed.ts'

/** Signals, the newest first, with the state of the stream. */
export function FeedList({ feed: { signals, fresh, error }, n_expected }: { feed: LiveFeed; n_expected: number }) {
  const [newest] = signals ?? []
  return (
    <>
      <Failure message={error} />
      {signals?.length === 0 && <p class="empty">No signal was published in the last 30 days. New ones appear here.</p>}
      <ul class="feed" aria-busy={signals === null && error === null}>
        {signals === null &&
          error === null &&
          Array.from({ length: n_expected }, (_, i) => (
            <li key={i} class="signal">
              <span class="skeleton" />
            </li>
          ))}
        {signals?.map((signal) => (
          <SignalItem key={signal.id} signal={signal} asOf={newest?.timestamp ?? null} isFresh={fresh.has(signal.id)} />
        ))}
      </ul>
    </>
  )
}

/** Whether new signals arrive by themselves. */
export function LiveMark({ isLive }: { isLive: boolean }) {
  return <span class={isLive ? 'live on' : 'live'}>{isLive ? 'Live' : 'Connecting'}</span>
}

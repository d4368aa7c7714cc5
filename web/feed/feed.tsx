import { Choices } from '#web/ui/choices.tsx'
import { Frame } from '#web/ui/frame.tsx'
import { useQuery } from '#web/ui/use_query.ts'

import { FeedList, LiveMark } from './feed_list.tsx'
import { typeNames } from './signal_item.tsx'
import { useFeed } from './use_feed.ts'

const presets = { type: '' }
const n_signals = 100

/** The page `/feed`: the signals of 30 days, and new ones as they are published. */
export function Feed() {
  const page = useQuery(presets)
  const feed = useFeed(page.query.type, n_signals)
  return (
    <Frame
      title="Feed"
      asOf={feed.signals?.[0]?.timestamp ?? null}
      about="Things that are unlikely by chance: odds that move, trades of proven traders, bursts of attention. Each opens its evidence."
    >
      <div class="controls">
        <Choices label="Type" name="type" values={{ '': 'All', ...typeNames }} page={page} />
        <LiveMark isLive={feed.isLive} />
      </div>
      <FeedList feed={feed} n_expected={10} />
    </Frame>
  )
}

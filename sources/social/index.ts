import type { Source } from '#ingest/source.ts'

import { blueskyJetstream } from './bluesky/bluesky_jetstream.ts'
import { farcasterChannels } from './farcaster/farcaster_channels.ts'
import { farcasterSnapchain } from './farcaster/farcaster_snapchain.ts'
import { fourchanBiz } from './fourchan/fourchan_biz.ts'
import { gdeltArticles } from './gdelt/gdelt_articles.ts'
import { newsFeeds } from './news/news_feeds.ts'
import { nostrRelays } from './nostr/nostr_relays.ts'
import { redditListings } from './reddit/reddit_listings.ts'
import { stocktwitsSymbols } from './stocktwits/stocktwits_symbols.ts'
import { telegramPreviews } from './telegram/telegram_previews.ts'
import { xSearch } from './x/x_search.ts'

/** The sources of all platforms. A new platform is a folder and a line here. */
export const socialSources: readonly Source[] = [
  blueskyJetstream,
  nostrRelays,
  newsFeeds,
  gdeltArticles,
  fourchanBiz,
  farcasterChannels,
  farcasterSnapchain,
  redditListings,
  stocktwitsSymbols,
  telegramPreviews,
  xSearch,
]

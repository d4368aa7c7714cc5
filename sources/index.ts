import type { Source } from '#ingest/source.ts'

import { evmAddresses } from './evm/evm_addresses.ts'
import { evmBalances } from './evm/evm_balances.ts'
import { evmSwaps } from './evm/evm_swaps.ts'
import { evmTokens } from './evm/evm_tokens.ts'
import { kalshiArchive } from './markets/kalshi/kalshi_archive.ts'
import { kalshiMarkets } from './markets/kalshi/kalshi_markets.ts'
import { kalshiOdds } from './markets/kalshi/kalshi_odds.ts'
import { kalshiSettlements } from './markets/kalshi/kalshi_settlements.ts'
import { kalshiTrades } from './markets/kalshi/kalshi_trades.ts'
import { limitlessActivity } from './markets/limitless/limitless_activity.ts'
import { limitlessLifecycle } from './markets/limitless/limitless_lifecycle.ts'
import { limitlessMarkets } from './markets/limitless/limitless_markets.ts'
import { limitlessOdds } from './markets/limitless/limitless_odds.ts'
import { limitlessResolutions } from './markets/limitless/limitless_resolutions.ts'
import { limitlessTrades } from './markets/limitless/limitless_trades.ts'
import { polymarketActivity } from './markets/polymarket/polymarket_activity.ts'
import { polymarketBook } from './markets/polymarket/polymarket_book.ts'
import { polymarketClobMarkets } from './markets/polymarket/polymarket_clob_markets.ts'
import { polymarketFeed } from './markets/polymarket/polymarket_feed.ts'
import { polymarketMarkets } from './markets/polymarket/polymarket_markets.ts'
import { polymarketOdds } from './markets/polymarket/polymarket_odds.ts'
import { polymarketPush } from './markets/polymarket/polymarket_push.ts'
import { polymarketResolutions } from './markets/polymarket/polymarket_resolutions.ts'
import { polymarketTrades } from './markets/polymarket/polymarket_trades.ts'
import { blueskyJetstream } from './social/bluesky/bluesky_jetstream.ts'
import { farcasterChannels } from './social/farcaster/farcaster_channels.ts'
import { farcasterSnapchain } from './social/farcaster/farcaster_snapchain.ts'
import { fourchanBiz } from './social/fourchan/fourchan_biz.ts'
import { gdeltArticles } from './social/gdelt/gdelt_articles.ts'
import { newsFeeds } from './social/news/news_feeds.ts'
import { nostrRelays } from './social/nostr/nostr_relays.ts'
import { redditListings } from './social/reddit/reddit_listings.ts'
import { stocktwitsSymbols } from './social/stocktwits/stocktwits_symbols.ts'
import { telegramPreviews } from './social/telegram/telegram_previews.ts'
import { xSearch } from './social/x/x_search.ts'
import { solanaAccounts } from './solana/solana_accounts.ts'
import { solanaBlocks } from './solana/solana_blocks.ts'
import { solanaTokens } from './solana/solana_tokens.ts'

/**
 * All sources. Each source plans from the stored rows of earlier sources. A new source is a file and a line here:
 * settings, hosts, docs and follows derive from its declaration.
 */
export const sources: readonly Source[] = [
  polymarketMarkets,
  polymarketClobMarkets,
  polymarketResolutions,
  polymarketTrades,
  polymarketActivity,
  polymarketFeed,
  polymarketPush,
  polymarketOdds,
  polymarketBook,
  limitlessMarkets,
  limitlessTrades,
  limitlessActivity,
  limitlessResolutions,
  limitlessOdds,
  limitlessLifecycle,
  kalshiMarkets,
  kalshiSettlements,
  kalshiTrades,
  kalshiOdds,
  kalshiArchive,
  evmSwaps,
  evmTokens,
  evmAddresses,
  evmBalances,
  solanaBlocks,
  solanaAccounts,
  solanaTokens,
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

import type { Intent } from '#api/chat/intent.ts'

import { discover } from './lists/ask_discover.ts'
import { feed } from './lists/ask_feed.ts'
import { pmMarkets } from './lists/ask_pm_markets.ts'
import { pmTraders } from './lists/ask_pm_traders.ts'
import { signals } from './lists/ask_signals.ts'
import { define } from './other/ask_definition.ts'
import { clarify } from './other/clarify.ts'
import { compare } from './other/compare.ts'
import { help } from './other/help.ts'
import { refuse } from './other/refuse.ts'
import { account } from './profiles/ask_account.ts'
import { alerts } from './profiles/ask_alerts.ts'
import { pmWallet } from './profiles/ask_pm_wallet.ts'
import { wallet } from './profiles/ask_wallet.ts'
import { watchlists } from './profiles/ask_watchlists.ts'
import { whyAsset } from './why/why_asset.ts'
import { whyPmWallet } from './why/why_pm_wallet.ts'
import { whySignal } from './why/why_signal.ts'
import { whyWallet } from './why/why_wallet.ts'

/** The kinds of questions. A new intent is a file and a line here. */
export const intents: readonly Intent[] = [
  signals,
  pmMarkets,
  pmTraders,
  pmWallet,
  discover,
  wallet,
  feed,
  account,
  alerts,
  watchlists,
  compare,
  whyAsset,
  whySignal,
  whyPmWallet,
  whyWallet,
  define,
  help,
  clarify,
  refuse,
]

import { render, type ComponentType } from 'preact'

import { Asset } from './attention/asset.tsx'
import { Assets } from './attention/assets.tsx'
import { Coverage } from './coverage/coverage.tsx'
import { Docs } from './docs/docs.tsx'
import { Feed } from './feed/feed.tsx'
import { Home } from './home/home.tsx'
import { Traders } from './leaders/traders.tsx'
import { Wallets } from './leaders/wallets.tsx'
import { Market } from './market/market.tsx'
import { Markets } from './markets/markets.tsx'
import { Settings } from './settings/settings.tsx'
import { ForgotPassword } from './sign_in/forgot_password.tsx'
import { ResetPassword } from './sign_in/reset_password.tsx'
import { SignIn } from './sign_in/sign_in.tsx'
import { SignUp } from './sign_in/sign_up.tsx'
import { Trader } from './trader/trader.tsx'
import { Wallet } from './wallet/wallet.tsx'
import { Watchlists } from './watchlists/watchlists.tsx'

/** The component of each page of `scripts/web.ts`. Every page is a document of its own, so links are plain links. */
const pages: Record<string, ComponentType> = {
  '': Home,
  feed: Feed,
  assets: Assets,
  asset: Asset,
  coverage: Coverage,
  markets: Markets,
  traders: Traders,
  wallets: Wallets,
  market: Market,
  trader: Trader,
  wallet: Wallet,
  docs: Docs,
  'sign-up': SignUp,
  'sign-in': SignIn,
  'forgot-password': ForgotPassword,
  'reset-password': ResetPassword,
  settings: Settings,
  watchlists: Watchlists,
}

const name = location.pathname.split('/').at(-1) ?? ''
const Page = pages[name]
if (Page === undefined)
  throw new Error(`page "${name}": no component; expected one of ${Object.keys(pages).join(', ')}`)
render(<Page />, document.body)

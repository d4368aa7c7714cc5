import type { Endpoint } from '#api/contract/endpoint.ts'

import { pmMarkets } from './pm_markets.ts'
import { pmTraders } from './pm_traders.ts'
import { pmWallet } from './pm_wallet.ts'

/** What the service answers below `/v1`. Adding an endpoint is a file and a line here. */
export const endpoints: readonly Endpoint[] = [pmMarkets, pmTraders, pmWallet]

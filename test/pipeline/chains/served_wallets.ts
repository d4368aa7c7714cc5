import { onTestFinished } from 'vitest'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { until } from '#test/run/eventually.ts'

const profileShape = z.object({
  chain: z.string(),
  tags: z.array(z.string()),
  pnl: z.object({
    realized_30d: z.number(),
    realized_all_time: z.number(),
    unranked_30d: z.number(),
    unranked_all_time: z.number(),
  }),
  holdings: z.array(z.object({ token: z.string(), amount: z.number(), usd_value: z.number() })),
  behavior_archetype: z.string(),
})
const listedShape = z.array(
  z.object({ address: z.string(), chain: z.string(), volume_30d: z.number(), win_rate: z.number() }),
)

export type Profile = z.infer<typeof profileShape>

/** The API over a home, whose live balances come from the given nodes. */
export async function serveWallets(home: string, nodes: Record<string, string>, chain = 'ethereum', world = 'anvil') {
  const settings = { TAPELINE_HOME: home, TAPELINE_PORT: '0', TAPELINE_WORLD: world, TAPELINE_RATE_FACTOR: '1000' }
  const service = await openService(parseConfig({ ...settings, ...nodes }), true)
  onTestFinished(service.close)
  const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const ask = (path: string): Promise<Response> => fetch(`${service.url}/v1/${path}`, { headers })
  return {
    accounts: service.accounts,
    ask,
    /** Creates a watchlist of wallets. */
    watch: (items: readonly string[]): Promise<Response> => {
      const body = JSON.stringify({ name: 'followed', type: 'wallets', items })
      return fetch(`${service.url}/v1/watchlists`, { method: 'POST', headers, body })
    },
    /** The profile of a wallet with its live holdings: a busy machine may miss their deadline, so it asks again. */
    profileOf: async (wallet: string): Promise<Profile> => {
      let profile: Profile | undefined
      await until(async () => {
        const response = await ask(`wallet?address=${wallet}&chain=${chain}`)
        profile = profileShape.parse(await response.json())
        return !(response.headers.get('x-coverage') ?? '').includes('holdings are')
      }, 500)
      if (profile === undefined) throw new Error(`${wallet}: no profile; expected one`)
      return profile
    },
    /** The leaderboard of a range. */
    listed: async (range: string): Promise<z.infer<typeof listedShape>> =>
      listedShape.parse(await (await ask(`discover?chain=${chain}&sort=volume&range=${range}`)).json()),
  }
}

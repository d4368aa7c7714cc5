import { DuckDBInstance } from '@duckdb/node-api'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { createActivities, type Activities } from '#activities/index.ts'
import { publish } from '#builder/publish.ts'
import { parseConfig } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Lake } from '#lake/lake.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { polymarketChainOf } from '#sources/markets/polymarket/polymarket_chain.ts'
import { tinyTools } from '#test/ingest/tiny.ts'
import { lifeOf, market, newLake, storeRows } from '#test/lake/fixture.ts'
import { anvil } from '#test/run/anvil.ts'
import { sized } from '#test/run/sized.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'
import { machineTimers } from '#time.ts'

import { minted, openSharesChain, type SharesChain } from './shares_chain.ts'
import { playStory } from './story.ts'

const start_s = 1_780_000_000

function activitiesOf({ url, now_s }: SharesChain, lake: Lake): Activities {
  const urls = [url, url.replace('127.0.0.1', 'localhost')].join()
  const config = parseConfig({ RPC_POLYGON: urls, TAPELINE_WORLD: 'anvil' }, [
    polymarketChainOf(createRpcMemory(machineTimers)),
  ])
  const [source] = config.sources
  if (source === undefined) throw new Error('no source; expected polymarket_chain')
  const http = createHttp({ hosts: config.hosts, random: Math.random, ...machineTimers })
  const tools = { ...tinyTools(lake, source, 0), sources: config.sources, hosts: config.hosts, http }
  return createActivities({ ...tools, timers: machineTimers, clock: () => now_s() * 1_000_000, keepRaw: false })
}

/** The venue's descriptions of the markets. */
const descriptionsOf = ({ markets }: SharesChain) =>
  markets.map(({ condition, tokens, group, index }) => ({
    ...market(condition),
    market_id: `polymarket:${condition}`,
    seen_at: start_s * 1_000_000,
    venue: 'polymarket',
    event_id: `polymarket:${group ?? condition}`,
    token_ids: tokens.map(String),
    neg_risk_id: group === undefined ? null : `polymarket:${group}`,
    neg_risk_index: index ?? null,
  }))

const profileShape = z.object({
  address: z.string(),
  total_pnl: z.string(),
  is_complete: z.boolean(),
  reason: z.string().nullable(),
})

async function profilesIn(file: string) {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY' })
  const connection = await instance.connect()
  const read = await connection.runAndReadAll(
    `select address, total_pnl::varchar as total_pnl, is_complete,
       case when unlisted_code not in ('unproven', 'wash', 'transferred') then unlisted_code end as reason
     from marts.pm_wallet order by address`,
  )
  const others = await connection.runAndReadAll('select address, trader from marts.pm_addresses')
  const rows = z.array(profileShape).parse(read.getRowObjectsJson())
  const addresses = z.array(z.object({ address: z.string(), trader: z.string() })).parse(others.getRowObjectsJson())
  connection.closeSync()
  instance.closeSync()
  return { rows, addresses }
}

test.skipIf(anvil === undefined)(
  'the results of all traders by the chain alone are what its contracts leave, to the cent',
  async () => {
    for (let seed = 1; seed <= sized(1, 1, 10); seed++) {
      const chain = await openSharesChain(seed, start_s)
      onTestFinished(chain.close)
      const { payouts, given } = await playStory(chain, seed, sized(24, 48, 200))
      const lake = await newLake()
      await storeRows(lake, lifeOf('markets'), { markets: descriptionsOf(chain) })
      const now = (): number => chain.now_s() * 1_000_000
      const progress = await runBackfill({ slug: 'polymarket', now }, activitiesOf(chain, lake), {
        source: 'polymarket_chain',
        from: start_s * 1_000_000,
      })
      expect(progress).toMatchObject({ failed: 0, quarantined: 0 })
      const scoring = { models: await loadScoring(), macros: await loadExplain(), columns }
      const published = await publish(lake, 'scores', { ...scoring, asOf: now(), threads: 1, memory: '1GB', now })
      const { rows, addresses } = await profilesIn(lake.local.locate(`marts/${published.id}.duckdb`))

      // The owner and its Safe are one.
      const people = chain.wallets
        .slice(0, -1)
        .map((wallet) => (wallet === chain.owner ? [wallet, chain.safe] : [wallet]))
      expect(rows).toHaveLength(people.length)
      expect(addresses).toHaveLength(1)
      for (const wallets of people) {
        let pnl = 0n
        for (const wallet of wallets) {
          pnl += (await chain.dollarsOf(wallet)) - minted
          for (const [token, payout] of payouts) pnl += ((await chain.sharesOf(wallet, token)) * payout) / 1_000_000n
        }
        for (const { from, to, token, size } of given) {
          const value = (size * (payouts.get(token) ?? 0n)) / 1_000_000n
          if (wallets.includes(from)) pnl += value
          if (wallets.includes(to)) pnl -= value
        }
        const row = rows.find(({ address }) => wallets.some((wallet) => wallet === address))
        expect(row).toMatchObject({ is_complete: true, reason: null })
        expect(Math.abs(Number(row?.total_pnl) - Number(pnl) / 1e6)).toBeLessThan(0.0051)
      }
    }
  },
)

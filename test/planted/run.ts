import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { DuckDBInstance } from '@duckdb/node-api'

import { createKey } from '#accounts/keys.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { truth } from '#sim/markets/true_ledger.ts'
import type { World } from '#sim/markets/types.ts'
import { otherWorlds } from '#sim/markets/venues.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { postsOf } from '#sim/social/platform_posts.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { expectedOf } from '#test/pipeline/limitless/expected.ts'
import { ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { storeAssets } from '#test/pipeline/social/assets.ts'
import { DAY, HOUR } from '#time.ts'

// Run in a copy of the tree that has the planted venue `manifold` and the planted platform `lemmy`: reads both from
// simulated upstreams, publishes, and prints what the API serves of them, as JSON.
const seed = 6
const world = createWorld({ seed, scale: 0.02 })
const others: Record<string, World> = otherWorlds(seed, { scale: 0.03 })
const manifold = others['manifold']
if (manifold === undefined) throw new Error('the simulated venues: no manifold; expected the planted venue')
const now = world.now
const upstream = await serveWorld({ world, others, clock: () => now })

const social = createSocialWorld({ seed, start: now - 15 * DAY - HOUR })
const posts = postsOf(social, 'x', social.start, now)
const lemmy = createServer((request, response) => {
  const from = Number(new URL(request.url ?? '', 'http://lemmy').searchParams.get('from'))
  const shown = posts
    .filter(({ asset, at }) => asset !== null && at >= from && at < from + HOUR)
    .map(({ n, at, author, text }) => ({ id: `p${n}`, at, author: `author${author}`, text }))
  response.writeHead(200, { 'content-type': 'application/json', 'x-simulated-world': upstream.worldName })
  response.end(JSON.stringify(shown))
})
await new Promise<void>((resolve) => lemmy.listen(0, '127.0.0.1', resolve))
const lemmyUrl = `http://127.0.0.1:${(lemmy.address() as AddressInfo).port}`

const home = join(process.cwd(), 'home')
const served = { worldName: upstream.worldName, hosts: { ...upstream.hosts, lemmy: lemmyUrl } }
const house = await openTestPipeline(home, served, () => now)
await storeAssets(house.lake, social)
const planted = ['manifold_markets', 'manifold_trades', 'manifold_accounts', 'lemmy_posts']
await ingestAll(house, now, planted)
await house.activities.publishAll({ asOf: null })
await house.lake.close()

const service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
async function ask(path: string, body?: object): Promise<{ status: number; coverage: string | null; body: unknown }> {
  const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${service.url}/v1${path}`, { headers, ...sent })
  return { status: response.status, coverage: response.headers.get('x-coverage'), body: await response.json() }
}

/** The weights of the platforms, and the fills of the planted venue, in the analysts' file. */
async function analystsFile(file: string): Promise<unknown> {
  const instance = await DuckDBInstance.create(file, { access_mode: 'READ_ONLY', threads: '1' })
  const connection = await instance.connect()
  const read = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson()
  return {
    weights: await read('select platform, weight::double as weight from core.platforms order by platform'),
    healthy: await read(
      "select platform, weight::double as weight from marts.signal_platforms where range = '7d' and is_healthy",
    ),
    explained: await read(
      `select part, what from core.explain_market('MANIFOLD:${slug.toUpperCase()}') where part = 'market'`,
    ),
  }
}

const slug = manifold.markets.find(({ kind }) => kind !== 'legacy')?.slug ?? ''
const known = truth(manifold, now)
const traders = await ask('/pm-traders?sort=pnl&range=all&limit=100')
const expected = (traders.body as { wallet: string }[]).map(({ wallet }) => ({
  wallet,
  ...expectedOf(known.get(wallet.toLowerCase()), 'all'),
}))
const answers = {
  markets: await ask('/pm-markets?platform=manifold&status=all&limit=1000'),
  kalshi: await ask('/pm-markets?platform=kalshi&status=all'),
  traders,
  expected,
  chat: await ask('/chat', { query: 'Which Manifold markets have the most volume?' }),
  shortened: await ask('/chat', { query: 'Which markets have the most volume on mani?' }),
  watchlist: await ask('/watchlists', { name: 'rain', type: 'markets', items: [`manifold:${slug.toUpperCase()}`] }),
  slug,
  signals: await ask('/signals?range=7d'),
  shares: Object.fromEntries(social.assets.map(({ symbol, share }) => [symbol, 100 * share])),
  file: await analystsFile(join(home, 'tapeline.duckdb')),
}
process.stdout.write(JSON.stringify(answers))
await service.close()
await upstream.close()
lemmy.close()

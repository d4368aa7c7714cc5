import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { z } from 'zod'

import { serveKalshiRecordings } from '#test/recordings/kalshi/replay.ts'
import { serveRecordings } from '#test/recordings/replay.ts'
import { recordedRows, recordingsDir, routeOf } from '#test/recordings/routes.ts'
import { recorded, recordedLines } from '#test/recordings/social/files.ts'

import { serveRecordedChains } from './recorded_chains.ts'
import { hostSettings, type Fill, type Upstreams, type World } from './worlds.ts'

/** The parts of the recordings that the world reads, beside `prediction-markets`. */
const folders = ['prediction-markets', 'social', 'onchain'].map((name) => join(recordingsDir, '..', name))

/** The folders of recordings that this machine lacks. Without one of them there is no recorded world. */
export const missingRecordings = (): string[] => folders.filter((folder) => !existsSync(folder))

const backfill = (sources: string, from: string, to?: string): Fill => ({
  args: ['backfill', ...sources.split(' '), '--from', from, ...(to === undefined ? [] : ['--to', to])],
})

/** What the recordings hold: of markets, of the hours with trades on Kalshi, of posts, and of swaps. */
const fills = (): Fill[] => [
  // The venue moves settlements to its archive, of which nothing was recorded.
  { ...backfill('kalshi_markets kalshi_settlements kalshi_odds', '2026-08-05'), clock: '2026-08-12T00:00:00.000Z' },
  {
    ...backfill(
      'polymarket_markets polymarket_clob_markets polymarket_resolutions polymarket_trades polymarket_activity polymarket_odds',
      '1970-01-01',
    ),
    mayFail: true,
  },
  ...recordedWallets().map((wallet): Fill => {
    const { args } = backfill('polymarket_activity', '1970-01-01')
    return { args: [...args, '--part', wallet], mayFail: true }
  }),
  backfill('limitless_markets limitless_odds', '1970-01-01'),
  backfill('kalshi_trades', '2026-01-12T13:00:00Z', '2026-01-12T16:00:00Z'),
  backfill('kalshi_trades', '2026-03-16T04:00:00Z', '2026-03-16T17:00:00Z'),
  backfill('stocktwits_symbols farcaster_channels', '1970-01-01'),
  backfill('evm_swaps', '1970-01-01'),
]

const recordedWallets = (): string[] => [
  ...new Set(recordedRows(routeOf('/activity')).map((row) => String(row['proxyWallet']))),
]

/** The recorded answers of real upstreams. Units without a recorded answer fail, on both sides. */
export const recordedWorld = (): World => ({
  name: 'recordings',
  // After the last row that was recorded.
  clock: '2026-11-20T00:00:00.000Z',
  open: async () => {
    const [polymarket, kalshi] = [await serveRecordings(), await serveKalshiRecordings()]
    const [others, chains] = [await serveOthers(), await serveRecordedChains()]
    const settings = {
      ...hostSettings({ ...polymarket.hosts, ...kalshi.hosts }),
      ...others.settings,
      ...chains.settings,
    }
    const served = [polymarket, kalshi, others, chains]
    return { settings, close: async () => void (await Promise.all(served.map(({ close }) => close()))) }
  },
  fills: fills(),
})

type Route = (query: URLSearchParams) => unknown

const casts = z.object({ casts: z.array(z.unknown()) })

/** The recorded lists of Limitless, StockTwits and Farcaster, by their routes. */
function otherRoutes(): Record<string, Route> {
  const markets = z
    .array(z.unknown())
    .parse(JSON.parse(readFileSync(join(recordingsDir, 'guzus__dr-manhattan', 'limitless_markets.json'), 'utf8')))
  const messages = recordedLines('7scgb4t8vc-cpu__stocktwits-collector/stocktwits_2026_raw_dedup.jsonl.gz').map(
    (line): unknown => JSON.parse(line),
  )
  const shown = [1, 2, 3].flatMap(
    (n) => casts.parse(JSON.parse(recorded(`dipanshuraz__neynar-tiktok/casts-${n}.json.gz`))).casts,
  )
  return {
    '/limitless/markets/active': (query) => ({
      data: Number(query.get('page')) > 1 ? [] : markets,
      totalMarketsCount: markets.length,
    }),
    '/stocktwits/streams/symbol/BTC.X.json': (query) => {
      const { rows, next } = pageOf(messages, query.get('max'), 30)
      return { messages: rows, cursor: { more: next !== null, max: next } }
    },
    '/neynar/v2/farcaster/feed/channels/': (query) => {
      const { rows, next } = pageOf(shown, query.get('cursor'), 100)
      return { casts: rows, next: { cursor: next === null ? null : String(next) } }
    },
  }
}

function pageOf(
  rows: readonly unknown[],
  cursor: string | null,
  size: number,
): { rows: unknown[]; next: number | null } {
  const end = Number(cursor ?? 0) + size
  return { rows: rows.slice(end - size, end), next: end < rows.length ? end : null }
}

async function serveOthers(): Promise<Upstreams> {
  const routes = otherRoutes()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://127.0.0.1')
    const body = routes[url.pathname]?.(url.searchParams)
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body ?? { error: 'not recorded' }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const names = ['limitless', 'stocktwits', 'neynar']
  const hosts = Object.fromEntries(names.map((name) => [name, `http://127.0.0.1:${port}/${name}`]))
  const keys = { NEYNAR_API_KEY: 'recorded', TAPELINE_STOCKTWITS_SYMBOLS: 'BTC.X' }
  return {
    settings: { ...hostSettings(hosts), ...keys },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

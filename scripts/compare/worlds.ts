import { serveChains } from '#sim/chains/serve_chains.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { now_s } from '#sim/markets/event_templates.ts'
import { otherWorlds } from '#sim/markets/venues.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServeOptions } from '#sim/server/server.ts'
import { castsKey } from '#sim/social/json_wire/casts.ts'
import { tweetsToken } from '#sim/social/json_wire/tweets.ts'
import { serveSocial } from '#sim/social/server.ts'
import { createSocialWorld } from '#sim/social/world.ts'
import { solanaNode } from '#sim/solana/served_node.ts'
import { DAY, SECOND } from '#time.ts'

/** The upstreams of a world, served on this machine, as settings of a command. */
export type Upstreams = { settings: Record<string, string>; close: () => Promise<void> }

/**
 * A command that fills a home. `mayFail`: its upstreams lack some answers, so that it ends with 1. `clock`: another
 * instant than that of the world.
 */
export type Fill = { args: readonly string[]; mayFail?: boolean; clock?: string }

/** A world that both sides read, each from upstreams that were started anew. */
export type World = {
  name: string
  /** The instant at which the clocks of both sides stand. */
  clock: string
  open: () => Promise<Upstreams>
  fills: readonly Fill[]
  /** The home that the commands fill, below theirs. */
  home?: string
}

const clock = new Date(now_s * 1000).toISOString()
const from = '1970-01-01'

/** The settings of hosts that were served in place of the real ones. */
export const hostSettings = (hosts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(hosts).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]))

/** The demo of each side: its own world, with Ethereum on a real node. */
const demo: World = {
  name: 'demo',
  clock,
  open: async () => ({ settings: {}, close: async () => undefined }),
  fills: [{ args: ['demo', '--once', '--port', '0'] }],
  home: 'demo',
}

/** Markets of three venues, of this seed and size. */
function venues(name: string, seed: number, scale: number, options: Partial<ServeOptions>): World {
  return {
    name,
    clock,
    open: async () => {
      const [world, others] = [createWorld({ seed, scale }), otherWorlds(seed, { scale: scale / 2 })]
      const { hosts, close } = await serveWorld({ world, others, clock: () => world.now, ...options })
      return { settings: { ...hostSettings(hosts), TAPELINE_WORLD: String(seed) }, close }
    },
    fills: [{ args: ['backfill', '--from', from] }],
  }
}

const n_slots = 300
const lightChain = { block_s: 900, start_s: now_s - 250 * 900, n_tokens: 8 }
const chains = (seed: number): SimulatedChain[] => [
  {
    slug: 'base',
    id: 8453,
    seed,
    dollar: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
    wrapped: '0x4200000000000000000000000000000000000006',
    ...lightChain,
  },
  {
    slug: 'polygon',
    id: 137,
    seed,
    dollar: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
    wrapped: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
    ...lightChain,
  },
]

/** The settings of the sources of posts that read nothing without them. */
const platforms = {
  NEYNAR_API_KEY: castsKey,
  TWITTER_BEARER_TOKEN: tweetsToken,
  TAPELINE_SNAPCHAIN_PARENTS: 'https://channel.example/one',
  TAPELINE_REDDIT_SUBREDDITS: 'CryptoCurrency,Bitcoin',
  TAPELINE_STOCKTWITS_SYMBOLS: 'BTC.X,ETH.X',
  TAPELINE_TELEGRAM_CHANNELS: 'Chain_News',
  TAPELINE_GDELT_QUERY: 'bitcoin',
}

/** Chains and posts on every platform. */
function chainsAndPosts(seed: number): World {
  const now = now_s * SECOND
  const social = createSocialWorld({ seed, start: now - 2 * DAY, step: 30 * SECOND, n_authors: 300 })
  return {
    name: 'chains',
    clock,
    open: async () => {
      const solana = solanaNode({
        seed,
        n_slots,
        slot_s: 60,
        start_s: now_s - 60 * n_slots,
        n_tokens: 6,
        isLarge: true,
      })
      const nodes = await serveChains(chains(seed), () => now, [solana])
      const posts = await serveSocial({ world: social, clock: () => now })
      const settings = { ...hostSettings(posts.hosts), ...nodes.settings, ...platforms, TAPELINE_WORLD: String(seed) }
      return { settings, close: async () => void (await Promise.all([nodes.close(), posts.close()])) }
    },
    fills: [
      { args: ['backfill', '--from', from] },
      { args: ['backfill', 'farcaster_channels', 'x_search', '--from', from] },
    ],
  }
}

/** The demo; markets; markets on the former wire, with faults; chains and posts. */
export const generatedWorlds = (): World[] => [
  demo,
  venues('venues', 21, 0.04, { cache: 'stale' }),
  venues('faults', 22, 0.02, {
    dataApi: 'v1',
    faults: { seed: 22, requests: 0.03, kinds: ['server_error', 'bad_gateway', 'truncated'], rows: 0.005 },
  }),
  chainsAndPosts(23),
]

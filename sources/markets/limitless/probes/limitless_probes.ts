import { z } from 'zod'

import type { RejectedRow } from '#ingest/source.ts'
import { limitlessHost, limitlessPushHost } from '#sources/markets/limitless/hosts.ts'
import { CHANNEL, pushedLifecycle, pushedName } from '#sources/markets/limitless/wire/lifecycle_messages.ts'
import { parseMakerFills } from '#sources/markets/limitless/wire/maker_rows.ts'
import { parseListed, type LimitlessMarket } from '#sources/markets/limitless/wire/market_rows.ts'
import { collected, marketFeed } from '#sources/markets/limitless/wire/pages.ts'
import { decided, undecided, type Finding, type Probe, type ProbeTools } from '#sources/markets/probe.ts'

const PAGES = 8
const SILENCE_S = 900

/** The facts of the lifecycle channel, which listening decides, and of the feed of the automated maker. */
export const limitlessProbes: readonly Probe[] = [
  {
    fact: 'the lifecycle channel pushes creations or resolutions of markets',
    run: async (tools): Promise<Finding> => {
      const { names, n_lifecycle, n_broken } = await heard(tools)
      if (names.size === 0) return decided(false, 'no event after the subscription')
      // A minute without a creation or resolution is possible.
      if (n_lifecycle + n_broken === 0) return undecided(textOf(names))
      return decided(n_broken === 0, `${textOf(names)}; ${n_broken} did not parse`)
    },
  },
  {
    fact: 'the feed of a market of the automated maker has trades with their traders',
    run: ({ get }) => hasTrades(get),
  },
]

/** `names` counts events; `n_lifecycle` creations and resolutions, and `n_broken` those that do not parse. */
type Heard = { names: Map<string, number>; n_lifecycle: number; n_broken: number }

const textOf = (names: Heard['names']): string =>
  `received ${[...names].map(([name, n]) => `${n} of ${name}`).join(', ')}`

async function heard({ streams, listen_ms }: ProbeTools): Promise<Heard> {
  const tally: Heard = { names: new Map(), n_lifecycle: 0, n_broken: 0 }
  const signal = AbortSignal.timeout(listen_ms)
  const next = () => ({ host: limitlessPushHost.name, ...CHANNEL })
  for await (const texts of streams({ next }, { silence_s: SILENCE_S, signal })) {
    for (const text of texts) note(tally, text)
  }
  return tally
}

function note(tally: Heard, text: string): void {
  const name = pushedName(text)
  if (name === null) return
  tally.names.set(name, (tally.names.get(name) ?? 0) + 1)
  try {
    if (pushedLifecycle(text) !== null) tally.n_lifecycle += 1
  } catch {
    tally.n_broken += 1
  }
}

async function hasTrades(get: ProbeTools['get']): Promise<Finding> {
  const market = await firstMade(get)
  if (market === null) return undecided(`no market of the automated maker on ${PAGES} pages`)
  const { rows, incompleteReason } = await collected((take) => marketFeed(get, market.slug, take))
  const rejected: RejectedRow[] = []
  const fills = parseMakerFills(rows, market, { path: market.slug, rejected })
  if (fills.length + rejected.length === 0) return undecided(`${market.slug} has no trade`)
  const seen = `${market.slug}: ${fills.length} trades, ${rejected.length} rejected`
  const [first] = rejected
  const reasons = [first?.reason, incompleteReason].filter((reason) => typeof reason === 'string')
  return decided(reasons.length === 0, [seen, ...reasons].join('; '))
}

const page = z.object({ data: z.array(z.unknown()) })

/** The first active market of the automated maker. */
async function firstMade(get: ProbeTools['get']): Promise<LimitlessMarket | null> {
  for (let number = 1; number <= PAGES; number += 1) {
    const query = { limit: 25, page: number }
    const { data } = await get({ host: limitlessHost.name, path: '/markets/active', query }, page)
    if (data.length === 0) return null
    const listed = parseListed(data, { dataset: 'markets', path: '/markets/active', rejected: [] })
    const made = listed.find(({ market }) => market.tradeType === 'amm')
    if (made !== undefined) return made.market
  }
  return null
}

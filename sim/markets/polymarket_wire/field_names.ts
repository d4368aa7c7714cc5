import type { World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'

/** The field names of the two versions of the Data API. */
export type Spelling = 'v2' | 'v1'

// prettier-ignore
export const spellings = {
  v2: { wallet: 'proxy_wallet', token: 'token_id', condition: 'condition_id', event: 'event_slug', index: 'outcome_index', cash: 'usdc_size', tx: 'transaction_hash', image: 'profile_image', small: 'profile_image_optimized' },
  v1: { wallet: 'proxyWallet', token: 'asset', condition: 'conditionId', event: 'eventSlug', index: 'outcomeIndex', cash: 'usdcSize', tx: 'transactionHash', image: 'profileImage', small: 'profileImageOptimized' },
} as const

/** The part of a row that identifies the token and its market. */
export type About = {
  ofFill: (fill: number, now_s: number) => string
  ofActivity: (index: number) => string
}

/** The time after a trade during which its outcome has no label. */
const freshFor_s = 600

type Subject = {
  condition: string
  token: string
  title: string
  slug: string
  icon: string
  event: string
  outcome: string
  index: number
}
const nothing: Subject = { condition: '', token: '', title: '', slug: '', icon: '', event: '', outcome: '', index: 999 }

export function createAbout(world: World, indexes: Indexes, spelling: Spelling): About {
  const { matches, fills, activity } = world
  const texts = new Map<number, string>()

  return {
    /** The text of an older row is built once for its token. */
    ofFill: (fill, now_s) => {
      const match = fills.match[fill] ?? 0
      const market = matches.market[match] ?? -1
      if (market < 0) return write(comboOf(world, indexes, match), spelling)
      const outcome = fills.outcome[fill] ?? 0
      // Every third fresh row has the label, and every third the label without the index.
      const missing = indexes.tsOf(fill) > now_s - freshFor_s ? fill % 3 : 0
      const key = (2 * market + outcome) * 3 + missing
      const text = texts.get(key) ?? write(outcomeOf(world, market, outcome, missing), spelling)
      texts.set(key, text)
      return text
    },
    ofActivity: (index) => {
      const row = activity[index]
      const event = world.events[row?.event ?? -1]
      // A conversion names the event's neg-risk id instead of a market, and not the given questions.
      if (event === undefined) return write(marketOf(world, row?.market ?? -1), spelling)
      return write(
        { ...nothing, condition: event.negRiskId, title: event.title, slug: event.slug, event: event.slug },
        spelling,
      )
    },
  }
}

function marketOf(world: World, index: number): Subject {
  const market = world.markets[index]
  if (market === undefined) return nothing
  const icon = `https://simulated.invalid/icons/${market.slug}.png`
  const event = world.events[market.event]?.slug ?? ''
  return { ...nothing, condition: market.conditionId, title: market.question, slug: market.slug, icon, event }
}

function outcomeOf(world: World, index: number, outcome: number, missing: number): Subject {
  const market = world.markets[index]
  const subject = { ...marketOf(world, index), token: market?.tokenIds[outcome] ?? '' }
  const label = market?.labels[outcome] ?? ''
  if (missing === 0) return { ...subject, outcome: label, index: outcome }
  return { ...subject, event: '', outcome: missing === 1 ? label : '' }
}

function comboOf(world: World, indexes: Indexes, match: number): Subject {
  const combo = indexes.comboOf.get(match)
  if (combo === undefined) return nothing
  const title = combo.legs.map((leg) => world.markets[leg]?.question ?? '').join(' AND ')
  return { ...nothing, condition: combo.conditionId, token: combo.tokenId, title }
}

function write(subject: Subject, spelling: Spelling): string {
  const name = spellings[spelling]
  return (
    `"${name.token}":"${subject.token}","${name.condition}":"${subject.condition}",` +
    `"title":${JSON.stringify(subject.title)},"slug":"${subject.slug}","icon":"${subject.icon}",` +
    `"${name.event}":"${subject.event}","outcome":${JSON.stringify(subject.outcome)},"${name.index}":${subject.index}`
  )
}

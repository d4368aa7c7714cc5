import { systemAddresses, type World } from '#sim/types.ts'
import { txHash } from '#sim/world.ts'

import type { Shelves } from './shelves.ts'

/** The names that the two versions of the Data API give to the same things. */
export type Spelling = 'v2' | 'v1'

/** Texts of rows, ready to be joined: pages of a thousand must take milliseconds. */
export type RowWriter = {
  trade: (fill: number, now_s: number) => string
  /** A row of `activityOf`: a fill, or beyond the fills a row of activity. */
  activity: (row: number, now_s: number) => string
}

// prettier-ignore
const names = {
  v2: { wallet: 'proxy_wallet', token: 'token_id', condition: 'condition_id', event: 'event_slug', index: 'outcome_index', cash: 'usdc_size', tx: 'transaction_hash', image: 'profile_image', small: 'profile_image_optimized' },
  v1: { wallet: 'proxyWallet', token: 'asset', condition: 'conditionId', event: 'eventSlug', index: 'outcomeIndex', cash: 'usdcSize', tx: 'transactionHash', image: 'profileImage', small: 'profileImageOptimized' },
} as const

/** For so long after a trade its outcome is not labelled yet. */
const freshFor_s = 600

type About = {
  condition: string
  token: string
  title: string
  slug: string
  icon: string
  event: string
  outcome: string
  index: number
}

export function createRowWriter(world: World, shelves: Shelves, spelling: Spelling): RowWriter {
  const name = names[spelling]
  const { matches, fills, activity } = world
  const profiles = world.traders.map((trader) => profileText(trader.name, trader.pseudonym))
  const wallets = world.traders.map((trader) => trader.wallet)
  const texts = new Map<number, string>()

  return {
    trade: (fill, now_s) => {
      const size = fills.size[fill] ?? 0
      const price = (fills.cash[fill] ?? 0) / size
      return (
        `{"${name.wallet}":"${walletOf(fill)}","side":"${sideOf(fill)}","size":${shares(fill)},"price":${price},` +
        `"timestamp":${tsOf(fill)},${aboutFill(fill, now_s)},${profileOf(fill)},"${name.tx}":"${txOf(fill)}"}`
      )
    },
    activity: (row, now_s) => (row < fills.length ? tradeActivity(row, now_s) : otherActivity(row - fills.length)),
  }

  function tradeActivity(fill: number, now_s: number): string {
    const [cash, fee] = [fills.cash[fill] ?? 0, fills.fee[fill] ?? 0]
    const moved = fills.side[fill] === 0 ? cash + fee : cash - fee
    const isCombo = shelves.comboOf.has(fills.match[fill] ?? -1) && spelling === 'v2' ? ',"is_combo":true' : ''
    return (
      `{"${name.wallet}":"${walletOf(fill)}","timestamp":${tsOf(fill)},"type":"TRADE","size":${shares(fill)},` +
      `"${name.cash}":${moved / 1e6},"${name.tx}":"${txOf(fill)}","price":${cash / (fills.size[fill] ?? 0)},` +
      `"side":"${sideOf(fill)}",${aboutFill(fill, now_s)},${profileOf(fill)}${isCombo}}`
    )
  }

  function otherActivity(index: number): string {
    const row = activity[index]
    if (row === undefined) throw new RangeError(`there is no activity ${index}`)
    const event = world.events[row.event]
    const market = world.markets[row.market]
    // A conversion names the event's neg-risk id, not a market, and nowhere says which questions were given.
    const about =
      market === undefined
        ? {
            ...blank,
            condition: event?.negRiskId ?? '',
            title: event?.title ?? '',
            slug: event?.slug ?? '',
            event: event?.slug ?? '',
          }
        : aboutMarket(market.index)
    return (
      `{"${name.wallet}":"${wallets[row.trader]}","timestamp":${row.ts_s},"type":"${row.kind}","size":${row.size / 1e6},` +
      `"${name.cash}":${row.cash / 1e6},"${name.tx}":"${txHash(world, row.tx)}","price":0,"side":"",` +
      `${aboutText({ ...about, token: '', outcome: '', index: 999 })},${profiles[row.trader]}}`
    )
  }

  /** Market, token and outcome of a fill; the text of a row that is no longer fresh is made once. */
  function aboutFill(fill: number, now_s: number): string {
    const match = fills.match[fill] ?? 0
    const market = matches.market[match] ?? -1
    if (market < 0) return aboutText(aboutCombo(match))
    const outcome = fills.outcome[fill] ?? 0
    const fresh = tsOf(fill) > now_s - freshFor_s
    // Of fresh rows every third is labelled all the same, and every third has the label but not the index.
    const how = fresh ? fill % 3 : 0
    const key = (2 * market + outcome) * 3 + how
    const known = texts.get(key)
    if (known !== undefined) return known
    const about = aboutOutcome(market, outcome)
    if (how > 0) Object.assign(about, { index: 999, event: '' })
    if (how > 1) about.outcome = ''
    const text = aboutText(about)
    texts.set(key, text)
    return text
  }

  function aboutMarket(index: number): About {
    const market = world.markets[index]
    if (market === undefined) throw new RangeError(`there is no market ${index}`)
    const icon = `https://simulated.invalid/icons/${market.slug}.png`
    const event = world.events[market.event]?.slug ?? ''
    return { ...blank, condition: market.conditionId, title: market.question, slug: market.slug, icon, event }
  }

  function aboutOutcome(index: number, outcome: number): About {
    const market = world.markets[index]
    const [token, label] = [market?.tokenIds[outcome] ?? '', market?.labels[outcome] ?? '']
    return { ...aboutMarket(index), token, outcome: label, index: outcome }
  }

  function aboutCombo(match: number): About {
    const combo = shelves.comboOf.get(match)
    const title = combo?.legs.map((leg) => world.markets[leg]?.question ?? '').join(' AND ') ?? ''
    return { ...blank, condition: combo?.conditionId ?? '', token: combo?.tokenId ?? '', title }
  }

  function aboutText(about: About): string {
    return (
      `"${name.token}":"${about.token}","${name.condition}":"${about.condition}","title":${JSON.stringify(about.title)},` +
      `"slug":"${about.slug}","icon":"${about.icon}","${name.event}":"${about.event}",` +
      `"outcome":${JSON.stringify(about.outcome)},"${name.index}":${about.index}`
    )
  }

  function profileText(given: string, pseudonym: string): string {
    return `"name":${JSON.stringify(given)},"pseudonym":"${pseudonym}","bio":"","${name.image}":"","${name.small}":""`
  }

  function profileOf(fill: number): string {
    return profiles[fills.trader[fill] ?? -1] ?? profileText('', '')
  }

  function walletOf(fill: number): string {
    const trader = fills.trader[fill] ?? -1
    return wallets[trader] ?? systemAddresses[-1 - trader] ?? ''
  }

  function sideOf(fill: number): string {
    return fills.side[fill] === 0 ? 'BUY' : 'SELL'
  }

  /** Shares as a float; some carry the noise of the venue's own arithmetic, as 11.988287999999999 for 11.988288. */
  function shares(fill: number): number {
    const exact = (fills.size[fill] ?? 0) / 1e6
    return fill % 31 === 0 ? exact * (1 - 2 ** -53) : exact
  }

  function tsOf(fill: number): number {
    return matches.ts_s[fills.match[fill] ?? 0] ?? 0
  }

  function txOf(fill: number): string {
    return txHash(world, matches.tx[fills.match[fill] ?? 0] ?? 0)
  }
}

const blank: About = { condition: '', token: '', title: '', slug: '', icon: '', event: '', outcome: '', index: 999 }

import { systemAddresses, type World } from '#sim/markets/types.ts'
import type { Indexes } from '#sim/markets/wire/indexes.ts'
import { txHash } from '#sim/markets/world.ts'
import type { Spoil } from '#sim/server/faults.ts'

import { createAbout, spellings, type Spelling } from './field_names.ts'

/** The texts of rows, prepared so that pages of a thousand rows take milliseconds. */
export type RowWriter = {
  trade: (fill: number, now_s: number) => string
  /** A row of `activityOf`: a fill, or beyond the fills a row of activity. */
  activity: (row: number, now_s: number) => string
}

export function createRowWriter(world: World, indexes: Indexes, spelling: Spelling, spoil: Spoil): RowWriter {
  const name = spellings[spelling]
  const { fills, matches } = world
  const about = createAbout(world, indexes, spelling)
  const profiles = world.traders.map((trader) => profileText(trader.name, trader.pseudonym))

  return {
    trade: (fill, now_s) => spoil('trades', fill, tradeText(fill, now_s)),
    activity: (row, now_s) =>
      spoil('activity', row, row < fills.length ? activityText(row, now_s) : otherText(row - fills.length)),
  }

  function tradeText(fill: number, now_s: number): string {
    const { wallet, side, size, price, ts_s, tx, profile } = factsOf(fill)
    return (
      `{"${name.wallet}":"${wallet}","side":"${side}","size":${size},"price":${price},"timestamp":${ts_s},` +
      `${about.ofFill(fill, now_s)},${profile},"${name.tx}":"${tx}"}`
    )
  }

  function activityText(fill: number, now_s: number): string {
    const { wallet, side, size, price, ts_s, tx, profile, moved, match } = factsOf(fill)
    const isCombo = spelling === 'v2' && indexes.comboOf.has(match) ? ',"is_combo":true' : ''
    return (
      `{"${name.wallet}":"${wallet}","timestamp":${ts_s},"type":"TRADE","size":${size},"${name.cash}":${moved},` +
      `"${name.tx}":"${tx}","price":${price},"side":"${side}",${about.ofFill(fill, now_s)},${profile}${isCombo}}`
    )
  }

  function otherText(index: number): string {
    const row = world.activity[index]
    if (row === undefined) throw new RangeError(`activity ${index}: unknown; expected the index of a row`)
    return (
      `{"${name.wallet}":"${world.traders[row.trader]?.wallet}","timestamp":${row.ts_s},"type":"${row.kind}",` +
      `"size":${row.size / 1e6},"${name.cash}":${row.cash / 1e6},"${name.tx}":"${txHash(world, row.tx)}",` +
      `"price":0,"side":"",${about.ofActivity(index)},${profiles[row.trader]}}`
    )
  }

  function factsOf(fill: number) {
    const match = fills.match[fill] ?? 0
    const trader = fills.trader[fill] ?? -1
    const [size, cash, fee] = [fills.size[fill] ?? 0, fills.cash[fill] ?? 0, fills.fee[fill] ?? 0]
    const isBuy = fills.side[fill] === 0
    return {
      match,
      wallet: world.traders[trader]?.wallet ?? systemAddresses[-1 - trader] ?? '',
      profile: profiles[trader] ?? profileText('', ''),
      side: isBuy ? 'BUY' : 'SELL',
      // Some have the noise of the venue's own arithmetic, such as 11.988287999999999 for 11.988288.
      size: fill % 31 === 0 ? (size / 1e6) * (1 - 2 ** -53) : size / 1e6,
      price: cash / size,
      moved: (isBuy ? cash + fee : cash - fee) / 1e6,
      ts_s: matches.ts_s[match] ?? 0,
      tx: txHash(world, matches.tx[match] ?? 0),
    }
  }

  function profileText(traderName: string, pseudonym: string): string {
    return `"name":${JSON.stringify(traderName)},"pseudonym":"${pseudonym}","bio":"","${name.image}":"","${name.small}":""`
  }
}

import type { Damages } from '#sim/server/faults.ts'

const settled: Damages['resolutions'] = [
  [/"ticker":"[^"]*",/, ''],
  [/"settlement_value_dollars":"[^"]*",/, '"settlement_value_dollars":"all",'],
]

/** The ways in which rows of this venue are damaged. */
export const damages: Damages = {
  trades: [
    [/"count(_fp)?":[^,]+,/, '"count_fp":"twelve",'],
    [/"created_time":"[^"]*",/, ''],
    [/"created_time":"[^"]*",/, '"created_time":"yesterday",'],
    [/"ticker":"[^"]*",/, ''],
    [/"yes_price_dollars":"[^"]*",/, '"yes_price_dollars":"much",'],
  ],
  activity: settled,
  markets: [
    [/"ticker":"[^"]*",/, ''],
    [/"status":"[^"]*",/, '"status":7,'],
    [/"title":"(?:[^"\\]|\\.)*",/, '"title":null,'],
  ],
  resolutions: settled,
}

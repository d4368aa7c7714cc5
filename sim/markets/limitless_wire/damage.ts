import type { Damages } from '#sim/server/faults.ts'

/** The ways in which rows of fills and histories do not parse. */
const ofFeeds: Damages['activity'] = [
  [/"(matchedSize|outcomeTokenAmount)":[^,]+,/, '"$1":"twelve",'],
  [/"(blockTimestamp|createdAt)":(\d+|"[^"]*"),/, ''],
  [/"(blockTimestamp|createdAt)":(\d+|"[^"]*"),/, '"$1":"yesterday",'],
  [/"(txHash|tradeEventId)":"[^"]*",/, ''],
]

/** The damages of the venue's rows. It has no rows of resolutions: a market shows its own. */
export const damages: Damages = {
  trades: [...ofFeeds, [/"price":[^,]+,/, '"price":null,']],
  activity: ofFeeds,
  markets: [
    [/"conditionId":"[^"]*",/, ''],
    [/"status":"[^"]*",/, '"status":7,'],
    [/"tokens":\{[^}]*\},/, '"tokens":[],'],
  ],
  resolutions: [],
}

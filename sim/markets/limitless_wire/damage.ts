import type { Damages } from '#sim/server/faults.ts'

/** The ways in which rows of fills and histories do not parse. */
const ofFeeds: Damages['activity'] = [
  [/"(matchedSize|outcomeTokenAmount|contracts)":[^,]+,/, '"$1":"twelve",'],
  [/"(blockTimestamp|createdAt|timestamp)":(\d+|"[^"]*"),/, ''],
  [/"(blockTimestamp|createdAt|timestamp)":(\d+|"[^"]*"),/, '"$1":"yesterday",'],
  [/"(txHash|tradeEventId)":"[^"]*",/, ''],
]

/** The damages of the venue's rows. It has no rows of resolutions: a market shows its own. */
export const damages: Damages = {
  trades: [...ofFeeds, [/"(price|tradeAmount)":[^,]+,/, '"$1":null,']],
  activity: ofFeeds,
  markets: [
    [/"conditionId":"[^"]*",/, ''],
    [/"status":"[^"]*",/, '"status":7,'],
    [/"tokens":(\{[^}]*\}|null),/, '"tokens":[],'],
  ],
  resolutions: [],
}

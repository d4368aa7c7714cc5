import type { Damages } from '#sim/server/faults.ts'

/** The ways in which rows of fills and histories do not parse. */
const feedDamage: Damages['activity'] = [
  [/"size":[^,]+,/, '"size":"twelve",'],
  [/"timestamp":\d+,/, ''],
  [/"timestamp":\d+,/, '"timestamp":"yesterday",'],
  [/"(proxy_wallet|proxyWallet)":"[^"]*",/, ''],
]

/** The damages of the venue's rows. */
export const damages: Damages = {
  trades: [...feedDamage, [/"price":[^,]+,/, '"price":null,']],
  activity: feedDamage,
  markets: [
    [/"conditionId":"[^"]*",/, ''],
    [/"outcomes":"(?:[^"\\]|\\.)*",/, '"outcomes":"Yes or No",'],
    [/"clobTokenIds":"(?:[^"\\]|\\.)*",/, '"clobTokenIds":"[]",'],
  ],
  resolutions: [
    [/"condition_id":"[^"]*",/, ''],
    [/"status":"[^"]*",/, '"status":7,'],
  ],
}

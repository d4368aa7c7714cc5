import { z } from 'zod'

import { addressExample, type Address } from '#api/contract/address.ts'
import { defineRead } from '#api/contract/define.ts'
import * as parameter from '#api/contract/parameters.ts'
import type { Snapshot } from '#marts/marts.ts'

import { archetypes } from './pm_traders.ts'
import { polymarketWallets } from './polymarket_wallets.ts'

const profile = z
  .strictObject({
    address: z.string().meta({ description: 'The address that was asked for, in EIP-55' }),
    total_pnl: z.number().meta({ description: 'Realized profit and loss of all time in USD' }),
    win_rate: z.number().min(0).max(1).meta({ description: 'Markets won / markets closed' }),
    clv_score: z.number().meta({ description: 'Closing line value in percentage points; higher is sharper' }),
    markets_traded: z.int().min(0).meta({ description: 'Distinct markets' }),
    archetype: z.enum(archetypes).meta({ description: 'How the wallet trades, the first rule that fits' }),
  })
  .meta({ id: 'PredictionMarketProfile' })

type Profile = z.output<typeof profile>

export const pmWallet = defineRead({
  path: '/pm-wallet',
  summary: 'Prediction-market profile of a wallet',
  doc: `The record of one address over all prediction markets. An EVM address is looked up as itself, as the owner of a
Polymarket proxy wallet and as the owner of a Polymarket Safe; of the three the one with the most markets answers. An
address without any activity is a 200 with zeros and archetype \`unproven\`, and so is a Solana address.

\`X-Coverage\` says how far to trust the figures. An address that was never pulled is \`pending\`: it is pulled now, and
a request a minute later has its figures. \`clv_score\` is 0 where too little is known to tell.`,
  reads: ['scores'],
  query: { address: parameter.address('The wallet') },
  item: z.strictObject({ pm_profile: profile }).meta({ id: 'PredictionMarketWallet' }),
  example: {
    pm_profile: {
      address: addressExample,
      total_pnl: 12840.11,
      win_rate: 0.612245,
      clv_score: 0,
      markets_traded: 49,
      archetype: 'generalist',
    },
  },
  headers: {
    'X-Coverage':
      '`complete`; `partial; reason="…"`: part of the history is missing or cannot be known; ' +
      '`pending`: never pulled, the figures are of what is stored',
  },
  read: async ({ address }, { snapshot, requestIngestion }) => {
    if (address.kind === 'solana') return answer(address, none, 'complete')
    const { proxy, safe } = polymarketWallets(address.key as `0x${string}`)
    const row = await readRow(snapshot, { asked: address.key, proxy, safe })
    if (!row) {
      await requestIngestion([address.key, proxy, safe])
      return answer(address, none, 'pending')
    }
    const { trader, is_complete, unlisted_reason, ...figures } = row
    if (unlisted_reason === 'not pulled') {
      await requestIngestion([trader])
      return answer(address, figures, 'pending')
    }
    return answer(address, figures, is_complete ? 'complete' : partial(unlisted_reason ?? 'incomplete history'))
  },
})

type Figures = Omit<Profile, 'address'>
type Row = Figures & { trader: string; is_complete: boolean; unlisted_reason: string | null }

const none: Figures = { total_pnl: 0, win_rate: 0, clv_score: 0, markets_traded: 0, archetype: 'unproven' }

const answer = ({ shown }: Address, figures: Figures, coverage: string) => ({
  body: { pm_profile: { address: shown, ...figures } },
  headers: [['X-Coverage', coverage]] as [string, string][],
})

const readRow = async (snapshot: Snapshot, addresses: { asked: string; proxy: string; safe: string }) => {
  const [row] = await snapshot.query(
    `select address as trader, is_complete, unlisted_reason, total_pnl, win_rate, clv_score, markets_traded, archetype
     from marts.pm_wallet where address in ($asked, $proxy, $safe)
     order by markets_traded desc, address = $asked desc, address limit 1`,
    addresses,
  )
  return row as Row | undefined
}

/** The reason as a quoted string of a header, which holds printable ASCII. */
const partial = (reason: string): string =>
  `partial; reason="${reason.replaceAll(/[^ -~]/g, '?').replaceAll(/["\\]/g, String.raw`\$&`)}"`

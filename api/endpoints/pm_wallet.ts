import { z } from 'zod'

import type { Requested } from '#accounts/request_buffer.ts'
import { addressExample, type Address } from '#api/contract/address.ts'
import { complete, coverageHeader, partial, pending, whyRefused, type Coverage } from '#api/contract/coverage.ts'
import { defineRead } from '#api/contract/define.ts'
import * as parameter from '#api/contract/input.ts'
import type { Snapshot } from '#snapshots/marts.ts'

import { archetypes, closesNotTrusted } from './pm_traders.ts'
import { tradingWallets, walletNames } from './trading_wallets.ts'

const profile = z
  .strictObject({
    address: z.string().meta({ description: 'The requested address, in EIP-55' }),
    total_pnl: z.number().meta({ description: 'All-time realized profit and loss in USD' }),
    win_rate: z.number().min(0).max(1).meta({ description: 'Markets won / markets closed' }),
    clv_score: z.number().meta({ description: 'Closing line value beyond the role, in percentage points' }),
    markets_traded: z.int().min(0).meta({ description: 'Number of distinct markets' }),
    archetype: z.enum(archetypes).meta({ description: 'Trading style: the first matching rule' }),
  })
  .meta({ id: 'PredictionMarketProfile' })

type Profile = z.output<typeof profile>

export const pmWallet = defineRead({
  path: '/pm-wallet',
  summary: 'Prediction-market profile of a wallet',
  doc: `Returns the prediction-market record of one address. For an EVM address, the address itself and the
contracts through which it trades (${walletNames.join(', ')}) are looked up; the address with the most
markets is returned. Addresses with one owner, as logs of a chain show it, are one trader. Each of them returns the
figures of that trader. An address without
activity returns zeros and archetype \`unproven\`, as does a Solana address.

\`X-Coverage\` states how complete the figures are. An address that was never read is \`pending\`: the request schedules
its ingestion, and figures are available about a minute later. An address that no venue knows is \`complete\` then, and is
read again after a day at the earliest. If too many addresses are requested, now or by this account today, it is
\`partial\` with that reason, and a later request may succeed. \`clv_score\` is 0 if there are too few closes, and while the tests of its
closes do not hold.`,
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
  headers: coverageHeader(
    'part of the history is missing or unknown, or closes are not trusted',
    '`pending`: not read yet, the figures cover stored data only',
  ),
  read: async ({ address }, { snapshot, requestIngestion }) => {
    if (address.kind === 'solana') return answer(address, none, complete)
    const traders = await tradersOf(snapshot, address)
    const [row, ...others] = await readRows(snapshot, [...traders.values()])
    // An owner without a market may trade through a wallet that was never read.
    if (!row || (row.markets_traded === 0 && others.length < 2)) {
      const pulled = [row, ...others].filter((figures) => figures !== undefined && figures.unlisted_code !== unreadCode)
      const pulledTraders = new Set(pulled.map((figures) => figures?.trader))
      const missing = [...traders].flatMap(([wallet, trader]) => (pulledTraders.has(trader) ? [] : [wallet]))
      const requested = await requestIngestion(missing, { areTraders: false })
      if (requested !== 'empty') return unread(address, none, requested)
      if (!row) return answer(address, none, complete)
    }
    const { trader, is_complete, unlisted_code, unlisted_reason, distrusted_kind, ...figures } = row
    if (unlisted_code === unreadCode) {
      return unread(address, figures, await requestIngestion([trader], { areTraders: true }))
    }
    if (!is_complete || unlisted_code === transferredCode)
      return answer(address, figures, partial(unlisted_reason ?? 'incomplete history'))
    return answer(address, figures, distrusted_kind === null ? complete : closesNotTrusted(distrusted_kind))
  },
})

/** The stored trader whose figures answer for an address: its own, that of its proxy or that of its Safe. */
export async function answeringTrader(snapshot: Snapshot, address: Address): Promise<string> {
  if (address.kind === 'solana') return address.key
  const [row] = await readRows(snapshot, [...(await tradersOf(snapshot, address)).values()])
  return row?.trader ?? address.key
}

/** The address and the wallets derived from it, each with its trader: an owner has one for all of its wallets. */
async function tradersOf(snapshot: Snapshot, { key }: Address): Promise<Map<string, string>> {
  const addresses = [key, ...tradingWallets(key)]
  const named = Object.fromEntries(addresses.map((address, n) => [`address_${n}`, address]))
  const rows = await snapshot.query(
    Object.keys(named)
      .map((name) => `select address, trader from marts.pm_addresses where address = $${name}`)
      .join(' union all '),
    named,
  )
  const traders = new Map(rows.map(({ address, trader }) => [String(address), String(trader)]))
  return new Map(addresses.map((address) => [address, traders.get(address) ?? address]))
}

/** The code of an account that is known from trades alone. */
const unreadCode = 'unread'
/** The code of a trader whose result is a matter of shares moved from or to others. */
const transferredCode = 'transferred'

type Figures = Omit<Profile, 'address'>
type Row = Figures & {
  trader: string
  is_complete: boolean
  unlisted_code: string | null
  unlisted_reason: string | null
  /** The kind of the trader's closes if its guard does not hold. */
  distrusted_kind: string | null
}

const none: Figures = { total_pnl: 0, win_rate: 0, clv_score: 0, markets_traded: 0, archetype: 'unproven' }

const answer = ({ shown }: Address, figures: Figures, coverage: Coverage) => ({
  body: { pm_profile: { address: shown, ...figures } },
  headers: [coverage],
})

/**
 * The answer of an address that is not read yet. A request that was made is soon fulfilled, perhaps without a new row.
 * A refused request is soon tried again; a quota is that of one account.
 */
const unread = (address: Address, figures: Figures, requested: Requested) => {
  const reason = whyRefused(requested)
  if (reason !== null)
    return { ...answer(address, figures, partial(reason)), fresh_ms: requested === 'full' ? 10_000 : 0 }
  return { ...answer(address, figures, pending), fresh_ms: 5_000 }
}

/** The rows of the traders that the snapshot has; the one with the most markets comes first, then the first trader. */
const readRows = async (snapshot: Snapshot, traders: readonly string[]): Promise<Row[]> => {
  const named = Object.fromEntries([...new Set(traders)].map((trader, n) => [`address_${n}`, trader]))
  const rows = await snapshot.query(
    `from (${Object.keys(named).map(selectRow).join(' union all ')})
     order by markets_traded desc, trader = $address_0 desc, trader`,
    named,
  )
  return rows as Row[]
}

/** One select an address: an `in` would read the column of the addresses of the whole table. */
const selectRow = (name: string): string =>
  `select address as trader, is_complete, unlisted_code, unlisted_reason, total_pnl, win_rate, coalesce(clv_score, 0) as clv_score,
     markets_traded, archetype, case when clv_score is null then clv_kind end as distrusted_kind
   from marts.pm_wallet where address = $${name}`

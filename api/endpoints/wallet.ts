import { z } from 'zod'

import type { Requested } from '#accounts/request_buffer.ts'
import { addressExample } from '#api/contract/address.ts'
import { coverageHeader, partialSince, pending, whyRefused, type Coverage } from '#api/contract/coverage.ts'
import { defineRead } from '#api/contract/define.ts'
import { invalidRequest } from '#api/contract/errors.ts'
import * as parameter from '#api/contract/input.ts'
import { readHoldings } from '#api/live/holdings.ts'
import { findChain } from '#registry/chains/find_chain.ts'

import { readAddressHistory, type AddressHistory } from './address_history.ts'
import { chainHistory, readHistories } from './chain_history.ts'
import { walletTags } from './discover.ts'
import { behaviors, noFigures, readFigures, whyNoFigures } from './wallet_figures.ts'

const pnl = z
  .strictObject({
    realized_30d: z.number().meta({ description: 'Profit and loss in USD, realized in 30 days' }),
    realized_all_time: z.number().meta({ description: 'Profit and loss in USD, realized in all time' }),
    unranked_30d: z
      .number()
      .meta({ description: 'Results of 30 days in USD in tokens without a reliable price, no part of `realized_30d`' }),
    unranked_all_time: z.number().meta({
      description: 'Results of all time in USD in tokens without a reliable price, no part of `realized_all_time`',
    }),
  })
  .meta({ id: 'WalletPnl' })

const holding = z
  .strictObject({
    token: z.string().meta({ description: 'The symbol of a listed token, else its address' }),
    amount: z.number().min(0).meta({ description: 'Whole units' }),
    usd_value: z.number().min(0).meta({ description: 'USD at the last known price' }),
  })
  .meta({ id: 'Holding' })

export const wallet = defineRead({
  path: '/wallet',
  summary: 'Profile of an on-chain wallet',
  doc: `Returns the record and the holdings of one address on one chain, which the answer names. Without \`chain\` it is
Solana for a Solana address, and for an EVM address the chain with its largest volume of 30 days, else \`ethereum\`.

Profit and loss is realized by sales, first in, first out, gas included. Proceeds of tokens that the wallet was never
seen to buy are not profit. Results in tokens without a reliable price at the sale are \`unranked\` and no part of the
realized ones. An address without activity returns zeros, no tags and archetype \`unproven\`.

\`holdings\` are the balances of the native coin, the chain's dollars and the tokens that the wallet traded, as a node
of the chain has them now, at the last known prices and by \`usd_value\` in descending order. The coin and its wrapped
form are one. Tokens without a price, and less than a cent, are left out. If no node answers within two seconds, they are the last known ones and \`X-Coverage\` gives the reason. On
Solana they are all tokens of the wallet. A mint or a token account is not a wallet: it holds nothing, and \`X-Coverage\` says so.

\`history\` states since when the chain is stored, and what has no price on it. What was traded before, or on a chain
whose dollars are unknown, is in no figure.

A request schedules the reading of the address on the chains that are read, and figures are available about a minute
later: of a wallet of Solana without a stored trade, and of an EVM address that was not read by its address yet. Until
then a wallet without figures is \`pending\`. The history of an EVM address is read newest first, so that \`X-Coverage\`
grows from \`partial; since="…"\` to \`complete\`. An address is read again on request after a day at the earliest. If too
many addresses are requested, now or by this account today, \`X-Coverage\` gives that reason.`,
  reads: ['scores'],
  query: {
    address: parameter.address('The wallet'),
    chain: parameter.chain('The chain').optional(),
  },
  item: z
    .strictObject({
      address: z.string().meta({ description: 'The requested address: EIP-55, or base58 on Solana' }),
      chain: z.string().meta({ description: 'The slug of the chain of all figures' }),
      tags: z.array(z.enum(walletTags)).meta({ description: 'All tags whose rule the wallet meets' }),
      pnl,
      holdings: z.array(holding).meta({ description: 'Objects with `token`, `amount` and `usd_value`' }),
      behavior_archetype: z.enum(behaviors).meta({ description: 'Trading style: the first matching rule' }),
      history: z
        .strictObject(chainHistory)
        .meta({ description: '`since`, the first stored block of the chain, and `unpriced`, what has no price on it' }),
    })
    .meta({ id: 'WalletProfile' }),
  example: {
    address: addressExample,
    chain: 'base',
    tags: ['smart_money', 'profitable_90d'],
    pnl: { realized_30d: 48210.57, realized_all_time: 310442.9, unranked_30d: 120.4, unranked_all_time: -15.25 },
    holdings: [
      { token: 'ETH', amount: 12.5, usd_value: 41250 },
      { token: 'USDC', amount: 1200.25, usd_value: 1200.25 },
    ],
    behavior_archetype: 'swing_trader',
    history: { since: '2026-01-01T00:00:11.000Z', unpriced: null },
  },
  headers: coverageHeader(
    'part of the history is missing or unknown, or the holdings are not live',
    '`partial; since="…"; reason="…"`: the history of the address is read from this instant on',
    '`pending`: not read yet, a reading is requested',
  ),
  assertFits: ({ address, chain }) => {
    const isOfSolana = chain === undefined ? null : findChain(chain).kind === 'solana'
    if (isOfSolana === null || isOfSolana === (address.kind === 'solana')) return
    const expected = isOfSolana ? 'a Solana address or another chain' : 'solana'
    throw invalidRequest('chain', `${chain} has no such addresses`, expected)
  },
  read: async ({ address, chain: asked }, { snapshot, liveBalances, requestIngestion }) => {
    const figures = await readFigures(snapshot, address, asked)
    const chain = findChain(figures?.chain ?? asked ?? (address.kind === 'solana' ? 'solana' : 'ethereum'))
    const isOfEvm = address.kind === 'evm'
    const [{ holdings, problem, isWallet, fresh_ms }, unknown, [read], byAddress] = await Promise.all([
      readHoldings({ snapshot, chain, wallet: address.key }, liveBalances),
      figures ? null : whyNoFigures(snapshot, chain),
      readHistories(snapshot, chain.slug),
      isOfEvm ? readAddressHistory(snapshot, address.key, chain.slug) : null,
    ])
    const history = { since: read?.since ?? null, unpriced: read?.unpriced ?? null }
    const isUnread = isOfEvm ? byAddress === null || byAddress.isOld : figures === null
    const isDue = isUnread && isWallet && (unknown === null || unknown.isRead)
    const requested = isDue ? await requestIngestion([address.key], { areTraders: false }) : 'empty'
    const isPending = requested === 'requested' && figures === null && byAddress === null
    const why = isPending ? 'not read yet' : (whyRefused(requested) ?? figures?.reason ?? unknown?.reason ?? null)
    const unpriced = history.unpriced === null ? null : `not priced: ${history.unpriced}`
    const reached = byAddress ?? ofBlocks(isOfEvm && figures !== null ? history.since : null)
    const coverage = isPending && problem === null ? pending : coverageOf(reached, [why, problem, unpriced])
    const { tags, pnl: realized, behavior_archetype } = figures ?? noFigures
    return {
      body: { address: address.shown, chain: chain.slug, tags, pnl: realized, holdings, behavior_archetype, history },
      headers: [coverage],
      ...freshFor(isPending || requested === 'spent' ? requested : 'empty', fresh_ms),
    }
  },
})

/** The coverage of an answer: since when its history is known, and the reasons why it is not complete. */
const coverageOf = ({ since, reason }: Pick<AddressHistory, 'since' | 'reason'>, others: (string | null)[]): Coverage =>
  partialSince(since, ...[reason, ...others].filter((text) => text !== null))

/** What is known of an EVM address that was not read by its address: the blocks that were read. */
const ofBlocks = (since: string | null): Pick<AddressHistory, 'since' | 'reason'> => ({
  since,
  reason: since === null ? null : 'what the address did before is not read yet',
})

/** The time for which an answer is fresh. A refusal concerns one account; a requested wallet is read soon. */
function freshFor(requested: Requested, fresh_ms: number | undefined): { fresh_ms?: number } {
  if (requested === 'spent') return { fresh_ms: 0 }
  if (requested === 'requested') return { fresh_ms: Math.min(fresh_ms ?? pending_ms, pending_ms) }
  return fresh_ms === undefined ? {} : { fresh_ms }
}
const pending_ms = 5_000

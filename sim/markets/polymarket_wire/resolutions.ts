import type { Market, World } from '#sim/markets/types.ts'
import { standingOf } from '#sim/markets/wire/standing.ts'
import { iso } from '#sim/markets/wire/text.ts'
import { txHash } from '#sim/markets/world.ts'

const wei = { first: '1000000000000000000', second: '0', fifty_fifty: '500000000000000000', void: '500000000000000000' }
/** The contract's value without a price. */
const unset = '69'

/** A row of `/v2/resolutions`; undefined before a proposal. */
export function resolutionRow(world: World, market: Market, now_s: number): object | undefined {
  const standing = standingOf(market, now_s)
  if (standing === 'open' || standing === 'closed' || market.payouts === null || market.result === 'none')
    return undefined
  const base = {
    condition_id: market.conditionId,
    status: standing,
    extended_review: false,
    was_disputed: market.disputedAt_s !== null,
    new_version_q: false,
  }
  const tx = txHash(world, 2_000_000_000 + market.index)
  // A vote settles a dispute: its row has a price and no payouts.
  const price = standing === 'resolved' ? wei[market.result] : unset
  const vote = {
    question_id: market.questionId,
    ...base,
    proposed_price: wei[market.result],
    reproposed_price: standing === 'proposed' ? unset : wei[market.result],
    price,
    transaction_hash: tx,
    log_index: String(100 + (market.index % 800)),
  }
  if (standing !== 'resolved') {
    const at_s = (standing === 'disputed' ? market.disputedAt_s : null) ?? market.proposedAt_s
    return { ...vote, last_update_timestamp: String(at_s), expected_settlement_time: iso(market.resolvedAt_s) }
  }
  const at = iso(market.resolvedAt_s)
  if (market.disputedAt_s !== null)
    return { ...vote, last_update_timestamp: String(market.resolvedAt_s), resolved_at: at }
  return {
    ...base,
    transaction_hash: market.index % 2 === 0 ? '' : tx,
    log_index: market.index % 2 === 0 ? '' : '17',
    last_update_timestamp: at,
    payouts: market.payouts,
    resolution_source: 'reported',
    was_arbitrated: false,
    resolved_block: 93_000_000 + Math.floor((market.resolvedAt_s - 1_788_000_000) / 2),
    resolved_at: at,
  }
}

import { tiers, type Tier } from '#accounts/tiers.ts'
import { ApiError, notReady } from '#api/contract/errors.ts'

/** A stream of an account. */
type Stream = { caller: { account_id: string; tier: Tier } }

/** The streams of one account by tier, and those of all accounts together. */
export type StreamCaps = { ofTier: Record<Tier, number>; ofAll: number }

export const usualCaps: StreamCaps = {
  ofTier: { free: tiers.free.streams, pro: tiers.pro.streams, enterprise: tiers.enterprise.streams },
  ofAll: 2_000,
}

/**
 * The stream that ends for a new one of a caller; null where a place is free. Of all places each account has a fair
 * share: once all are taken, the newest stream of the account with the most ends. Throws a 429 at the cap of the tier,
 * and a 503 if no account has more streams than this one would have.
 */
export function placeFor<S extends Stream>(
  streams: Iterable<S>,
  { account_id, tier }: Stream['caller'],
  caps: StreamCaps,
): S | null {
  const byAccount = new Map<string, S[]>()
  for (const stream of streams) {
    const { account_id: owner } = stream.caller
    const owned = byAccount.get(owner)
    if (owned === undefined) byAccount.set(owner, [stream])
    else owned.push(stream)
  }
  const n_ofCaller = byAccount.get(account_id)?.length ?? 0
  const most = caps.ofTier[tier]
  if (n_ofCaller >= most)
    throw new ApiError(
      'rate_limit_exceeded',
      `streams: the ${most} of the tier "${tier}" are open; expected fewer: close one first.`,
      { 'Retry-After': '5' },
    )
  const accounts = [...byAccount.values()]
  if (accounts.reduce((n, { length }) => n + length, 0) < caps.ofAll) return null
  const largest = accounts.reduce((former, next) => (next.length > former.length ? next : former), [])
  if (largest.length <= n_ofCaller + 1) throw notReady('too many streams are open')
  return largest.at(-1) ?? null
}

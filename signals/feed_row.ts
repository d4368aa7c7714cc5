import { createHmac } from 'node:crypto'

import type { FeedRow } from '#lake/datasets/index.ts'
import type { Micros } from '#time.ts'

import type { Candidate } from './candidate.ts'
import { wordingOf } from './wording.ts'

/** The row of the dataset `feed` of a candidate that is published at an instant, found as of another. */
export function feedRowOf(
  candidate: Candidate,
  { secret, tick_at, published_at }: { secret: Buffer; tick_at: Micros; published_at: Micros },
): Omit<FeedRow, 'source'> {
  const { type, entity, direction, symbol, score, information, confidence, evidence } = candidate
  return {
    id: signalId(secret, { type, entity, direction, tick_at }),
    published_at,
    tick_at,
    type,
    entity,
    direction,
    symbol,
    score,
    tier_required: tierOf[type],
    ...wordingOf(candidate),
    information,
    confidence,
    rule: ruleOf[type],
    evidence: JSON.stringify(evidence),
  }
}

/** Signals of wallets and of several types name addresses and conclusions: their detail needs the tier `pro`. */
const tierOf = { wallet: 'pro', signal: 'pro', market: 'free', social: 'free' }

const ruleOf = { wallet: 'tail', signal: 'fisher', market: 'move', social: 'burst' }

/** The identity of a signal: no other signal has the same type, entity and direction at the same instant. */
type SignalKey = { type: string; entity: string; direction: string; tick_at: number }

/**
 * The id of a signal: an HMAC under a secret of the installation. The same signal has the same id when it is found
 * again. Without the secret no id can be computed from an entity, so an id does not give its entity away.
 */
const signalId = (secret: Buffer, { type, entity, direction, tick_at }: SignalKey): string =>
  `sig_${createHmac('sha256', secret)
    .update(JSON.stringify([type, entity, direction, tick_at]))
    .digest('base64url')
    .slice(0, 22)}`

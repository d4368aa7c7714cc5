import type { Evidence } from './inputs.ts'
import type { Served } from './served.ts'
import type { Style } from './styles.ts'

/** A trader's row as the text defines it, over all time. */
export type Wallet = {
  trader: string
  role: string
  archetype: string
  clv_kind: string | null
  clv_score: number | null
  clv_edge_points: number | null
  clv_lower_points: number | null
  clv_upper_points: number | null
  clv_role_points: number | null
  clv_points: number | null
  clv_n_eff: number | null
  clv_q: number | null
  is_trusted: boolean | null
  clv_reason_code: string | null
}

export function walletOf(evidence: Evidence, style: Style | undefined, score: Served | undefined): Wallet {
  const isUnproven = evidence.n_fills < 20 || evidence.n_closed < 10
  const shown = isUnproven ? undefined : score
  const skill = shown?.is_trusted === true ? shown.skill : null
  const reason = isUnproven ? 'unproven' : shown === undefined ? 'no_close' : shown.is_trusted ? null : 'not_trusted'
  return {
    trader: evidence.trader,
    role: style?.role ?? 'taker',
    archetype: isUnproven ? 'unproven' : wordOf(evidence, style, score),
    clv_kind: shown?.kind ?? null,
    clv_score: skill,
    clv_edge_points: shown?.raw ?? null,
    clv_lower_points: shown?.lower ?? null,
    clv_upper_points: shown?.upper ?? null,
    clv_role_points: shown?.mu ?? null,
    clv_points: shown?.clv ?? null,
    clv_n_eff: shown?.n_eff ?? null,
    clv_q: shown?.q ?? null,
    is_trusted: shown?.is_trusted ?? null,
    clv_reason_code: reason,
  }
}

function wordOf(evidence: Evidence, style: Style | undefined, score: Served | undefined): string {
  const role = style?.role ?? 'taker'
  const skill = score?.is_trusted === true ? score.skill : 0
  const isRare = (rate: number | null | undefined, most: number): boolean => (rate ?? 1) <= most
  if (role === 'market_maker') return 'market_maker'
  if (evidence.sets >= 0.5) return 'arbitrageur'
  if (isRare(score?.q, 0.1) && skill > 0) return 'sharp'
  if (isRare(score?.q_below, 0.1) && skill < 0 && evidence.roi !== null && evidence.roi < 0) return 'fade_target'
  if (isRare(score?.q_wide, 0.2) && skill > 0 && role === 'taker' && evidence.dips >= 0.6) return 'value_hunter'
  if (evidence.rises >= 0.6) return 'momentum_chaser'
  if (evidence.longshots >= 0.6) return 'longshot_hunter'
  if (evidence.favorites >= 0.6) return 'favorite_backer'
  if (evidence.volumePercent <= 1 && evidence.volume >= 100_000) return 'whale'
  return 'generalist'
}

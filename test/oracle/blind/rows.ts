import type { Oracle } from './oracle.ts'

export type Row = Readonly<Record<string, string | number | boolean | null>>
/** A table with the columns that name its rows; several rows may have one name. */
export type Table = { name: string; key: readonly string[]; rows: readonly Row[] }

/** The results of the oracle, with the names and columns of the tables. */
export function tablesOfOracle(oracle: Oracle): Table[] {
  const fills = oracle.fills.map((one): Row => {
    const { trader, tx, ts, market, outcome, side, role, price, size } = one.fill
    return {
      trader,
      kind: one.kind,
      market_id: market.id,
      tx,
      ts,
      outcome,
      side,
      role,
      price: price / 1e6,
      size: size / 1e6,
      risk_usd: one.risk / 1e6,
      event_id: market.eventId,
      category: market.category,
      close_at: one.closeAt,
      close_price: one.closePrice === null ? null : one.closePrice / 1e6,
      edge_points: one.edge,
      is_resolved: one.isResolved,
      left_out: one.leftOut,
    }
  })
  const clusters = oracle.clusters.map(
    ({ trader, range, kind, category, day, risk, made, edge, variance, n_fills, n_resolved }): Row => {
      const key = { trader, range, kind, category, day }
      return {
        ...key,
        risk_usd: risk,
        maker_usd: made,
        edge_points: edge,
        price_variance: variance,
        n_fills,
        n_resolved,
      }
    },
  )
  const scores = oracle.scores.map((one): Row => {
    const { trader, range, kind, v, se, n_resolved } = one
    return {
      trader,
      range,
      kind,
      v,
      se,
      n_resolved,
      p_above: one.above,
      p_below: one.below,
      mu_se: one.muSe,
      tau2: one.between,
      skill_points: one.skill,
      skill_se: one.skillSe,
      clv_points: one.clv,
      raw_points: one.raw,
      raw_lower_points: one.lower,
      raw_upper_points: one.upper,
      mu_points: one.mu,
      n_clusters: one.n,
      n_eff: one.nEff,
      scored_share: one.scored_share,
    }
  })
  const served = oracle.served.map((one): Row => {
    const { trader, range, kind, se, q, q_below, q_wide, is_trusted } = one
    const figures = {
      clv_points: one.clv,
      skill_points: one.skill,
      skill_se: one.skillSe,
      raw_points: one.raw,
      raw_lower_points: one.lower,
      raw_upper_points: one.upper,
      mu_points: one.mu,
      mu_se: one.muSe,
      n_eff: one.nEff,
      scored_share: one.scored_share,
    }
    return { trader, range, kind, se, q, q_below, q_wide, is_trusted, ...figures }
  })
  const guards = oracle.guards.map(({ extreme_share, ...one }): Row => ({
    ...one,
    extreme_share: Math.round(extreme_share * 1e6) / 1e6,
  }))
  const fillKey = ['trader', 'kind', 'market_id', 'tx', 'ts', 'outcome', 'side', 'role', 'price', 'size', 'risk_usd']
  return [
    { name: 'metrics.clv_fills', key: fillKey, rows: fills },
    { name: 'metrics.clv_clusters', key: ['trader', 'range', 'kind', 'category', 'day'], rows: clusters },
    { name: 'metrics.clv_populations', key: ['range', 'kind'], rows: oracle.populations.map((one): Row => one) },
    { name: 'metrics.clv', key: ['trader', 'range', 'kind'], rows: scores },
    { name: 'metrics.clv_scores', key: ['trader', 'range'], rows: served },
    { name: 'metrics.clv_guards', key: ['kind'], rows: guards },
  ]
}

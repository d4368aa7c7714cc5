import type { Bug } from './prices.ts'

/** Bugs in the fills, clusters and guards of closing line values, in the order in which the models run. */
export const scoreBugs: Bug[] = [
  {
    what: 'the trader is one of the three takers of a start',
    in: 'metrics.clv_edges',
    from: 'c.n_takers - coalesce(w.is_taker, false)::integer >= 3',
    to: 'c.n_takers >= 3',
  },
  {
    what: 'two takers are enough for a start',
    in: 'metrics.clv_edges',
    from: '::integer >= 3',
    to: '::integer >= 2',
  },
  {
    what: 'any takers are enough for a markout',
    in: 'metrics.clv_edges',
    from: 'coalesce(o.has_takers, false)',
    to: 'true',
  },
  {
    what: 'a markout of a resolved market is left out',
    in: 'metrics.clv_edges',
    from: "when is_self then 'self'",
    to: "when is_self then 'self' when is_resolved then 'resolved'",
  },
  {
    what: 'the day after may end in play',
    in: 'metrics.clv_edges',
    from: 'else k.ts + interval 25 hours end >= k.starts_at',
    to: 'else k.ts end >= k.starts_at',
  },
  {
    what: 'fills in the close window are scored',
    in: 'metrics.clv_edges',
    from: 'k.ts >= k.starts_at - interval 15 minutes',
    to: 'k.ts > k.starts_at - interval 15 minutes',
  },
  {
    what: 'what was in play is scored',
    in: 'metrics.clv_edges',
    from: 'when late is not null then late',
    to: "when late = 'start' then late",
  },
  {
    what: 'a little is enough of others',
    in: 'metrics.clv_edges',
    from: 'others_size >= 200',
    to: 'others_size >= 100',
  },
  {
    what: 'a close exists by what it is worth, as it did',
    in: 'metrics.clv_edges',
    from: 'others_size >= 200',
    to: 'others_usd >= 100',
  },
  {
    what: 'the fee is left out of a purchase',
    in: 'metrics.clv_edges',
    from: "(case side when 'buy' then cash_usd + fee_usd",
    to: "(case side when 'buy' then cash_usd",
  },
  {
    what: 'the fee is left out of a sale',
    in: 'metrics.clv_edges',
    from: 'else cash_usd - fee_usd end) / size',
    to: 'else cash_usd end) / size',
  },
  {
    what: 'a sale risks its proceeds',
    in: 'metrics.clv_edges',
    from: 'else size - cash_usd + fee_usd end',
    to: 'else cash_usd end',
  },
  {
    what: 'extreme prices are scored',
    in: 'metrics.clv_edges',
    from: 'price < 0.02',
    to: 'price < 0.01',
  },
  {
    what: 'the ends of the prices that count are left out',
    in: 'metrics.clv_edges',
    from: 'price > 0.98',
    to: 'price >= 0.98',
  },
  {
    what: 'makers who are takers are scored',
    in: 'metrics.clv_edges',
    from: "when is_self then 'self'",
    to: '',
  },
  {
    what: 'clusters are events, as they were',
    in: 'metrics.clv_edges',
    from: "coalesce(m.category, '') as category",
    to: 'f.event_id as category',
  },
  {
    what: 'clusters are days, whatever the category',
    in: 'metrics.clv_edges',
    from: "coalesce(m.category, '') as category",
    to: "'' as category",
  },
  {
    what: 'clusters are those of the fills, not of their closes',
    in: 'metrics.clv_clusters',
    from: 'f.close_at::date as day',
    to: 'f.ts::date as day',
  },
  {
    what: 'the fills of a cluster weigh the same',
    in: 'metrics.clv_clusters',
    from: 'sum((edge_points::double * risk_usd::double)::decimal(38, 18))',
    to: '(avg(edge_points) * sum(risk_usd)::double)::decimal(38, 18)',
  },
  {
    what: 'a window has all fills of a market whose last close lies in it',
    in: 'metrics.clv_clusters',
    from: '1 + (f.close_at > c.as_of - interval 2160 hours)::integer + (f.close_at > c.as_of - interval 720 hours)::integer as depth',
    to: `1 + (max(f.close_at) over (partition by f.trader_index, f.kind, f.market_index) > c.as_of - interval 2160 hours)::integer
      + (max(f.close_at) over (partition by f.trader_index, f.kind, f.market_index) > c.as_of - interval 720 hours)::integer as depth`,
  },
  {
    what: 'a range includes its first instant',
    in: 'metrics.clv_clusters',
    from: 'f.close_at > c.as_of - interval 2160 hours',
    to: 'f.close_at >= c.as_of - interval 2160 hours',
  },
  {
    what: 'what was made counts where its role is unknown',
    in: 'metrics.clv_clusters',
    from: "filter (role = 'maker')",
    to: "filter (role is distinct from 'taker')",
  },
  {
    what: 'a market counts with its last fill in a guard',
    in: 'metrics.clv_guards',
    from: 'arg_min(',
    to: 'arg_max(',
  },
  {
    what: 'the errors of a guard are those of the days of closes, as they were',
    in: 'metrics.clv_guards',
    from: 'greatest(f.fill.close_at, m.resolved_at)::date',
    to: 'f.fill.close_at::date',
  },
  {
    what: 'a guard holds prices of resolved windows against payouts',
    in: 'metrics.clv_guards',
    from: 'and not f.is_resolved',
    to: '',
  },
]

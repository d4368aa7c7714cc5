/** A bug: a piece of a model or of the arithmetic of the shrinkage, and what stands there instead. */
export type Bug = { what: string; in: string; from: string; to: string }

/** Bugs in prints, markouts and closes, in the order in which the models run. */
export const priceBugs: Bug[] = [
  {
    what: 'own fills are left in the close',
    in: 'core.prints',
    from: 'taken + made as own_size,\n  taken_usd + made_usd as own_usd',
    to: '0 as own_size, 0 as own_usd',
  },
  {
    what: 'what a maker made is left in its close',
    in: 'core.prints',
    from: 'taken + made as own_size,\n  taken_usd + made_usd as own_usd',
    to: 'taken as own_size, taken_usd as own_usd',
  },
  {
    what: 'a match counts once for each side',
    in: 'core.prints',
    from: 'taken as size,\n  taken_usd as cash_usd',
    to: 'taken + made as size, taken_usd + made_usd as cash_usd',
  },
  {
    what: 'a trade of a trader with itself is a price',
    in: 'core.prints',
    from: 'least(taken, made) as own',
    to: '0 as own',
  },
  {
    what: 'a trade of a trader with itself is taken out at its mean price',
    in: 'core.prints',
    from: 'when taken_usd - made_usd between 0 and taken - own then',
    to: 'when false then',
  },
  {
    what: 'the two tokens of a market have prices of their own',
    in: 'core.prints',
    from: 'case when m.n_outcomes = 2 then 0 else o.outcome end as outcome',
    to: 'o.outcome as outcome',
  },
  {
    what: 'one token is priced like the other',
    in: 'core.prints',
    from: 'case when is_mirrored then size - cash_usd else cash_usd end',
    to: 'cash_usd',
  },
  {
    what: 'the payout is among the prices',
    in: 'core.prints',
    from: '(k.resolved_at is null or t.ts < k.resolved_at)',
    to: 'true',
  },
  {
    what: 'the trader is one of the three takers of a markout',
    in: 'core.markouts',
    from: 'not coalesce(p.is_taker, false)',
    to: 'true',
  },
  {
    what: 'a maker is a taker of a start',
    in: 'core.closes',
    from: 'filter (p.size > 0)',
    to: '',
  },
  {
    what: 'a market that resolves in the window of a markout is as if it did not',
    in: 'core.markouts',
    from: 'least(f.ts + interval 25 hours, m.resolved_at) as ends_at',
    to: 'f.ts + interval 25 hours as ends_at',
  },
  {
    what: 'the window of a start ends before it',
    in: 'core.closes',
    from: 'p.ts <= s.close_at\n  group by',
    to: 'p.ts < s.close_at\n  group by',
  },
  {
    what: 'the window of a start begins after its quarter of an hour',
    in: 'core.closes',
    from: 'p.ts >= s.opens_at',
    to: 'p.ts > s.opens_at',
  },
  {
    what: 'the close is taken after the start',
    in: 'core.closes',
    from: 'p.ts <= s.close_at',
    to: 'p.ts <= s.close_at + interval 15 minutes',
  },
  {
    what: 'a midpoint counts however old it is',
    in: 'core.closes',
    from: 'where q.ts >= s.opens_at or o.ts >= s.opens_at',
    to: '',
  },
  {
    what: 'a look at the books does not keep a midpoint fresh',
    in: 'core.closes',
    from: 'or o.ts >= s.opens_at',
    to: '',
  },
  {
    what: 'a payout is the midpoint of a start',
    in: 'core.closes',
    from: 'least(starts_at, resolved_at - interval 1 microsecond)',
    to: 'starts_at',
  },
  {
    what: 'a payout is the midpoint of the day after',
    in: 'core.markouts',
    from: 'then p.close_at - interval 1 microsecond else',
    to: 'then p.close_at else',
  },
  {
    what: 'the midpoint is that of outcome 0',
    in: 'core.closes',
    from: 'when s.n_outcomes = 2 then 1 - q.mid',
    to: 'when s.n_outcomes = 2 then q.mid',
  },
  {
    what: 'the day after ends before its hour',
    in: 'core.markouts',
    from: 'a.ts <= w.ends_at',
    to: 'a.ts < w.ends_at',
  },
  {
    what: 'the day after begins after its hour',
    in: 'core.markouts',
    from: 'b.ts < w.opens_at',
    to: 'b.ts <= w.opens_at',
  },
  {
    what: 'the day after is known when it is a day after',
    in: 'core.markouts',
    from: 'p.ts + interval 25 hours <= (select as_of from core.clock)',
    to: 'p.ts + interval 24 hours <= (select as_of from core.clock)',
  },
]

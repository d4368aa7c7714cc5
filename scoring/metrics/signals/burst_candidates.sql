-- The tracked assets whose attention is tested at the clock, with the chance `p` of so many authors in the last 6
-- hours. An asset without a burst (`metrics.bursts`) has p = 1 and no evidence. No asset is tested while no post of
-- these hours is known.
-- columns: symbol; ts, n_authors, expected DOUBLE, confidence, p DOUBLE,
-- evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]
with tested as (
  select a.symbol, c.as_of as ts
  from core.assets a
  cross join core.clock c
  where exists (from core.attention_exposures e where e.hours_ago = 0)
)
select
  t.symbol,
  t.ts,
  coalesce(b.n_authors, 0) as n_authors,
  coalesce(b.expected, 0) as expected,
  coalesce(b.confidence, 0) as confidence,
  coalesce(b.p, 1) as p,
  coalesce(b.evidence, []) as evidence
from tested t
left join metrics.bursts b on b.symbol = t.symbol and b.ts = t.ts

-- An asset in a post and its tone, once. All assets of a post are from the source that the post is from, and from one
-- model. Posts that `staging.posts` excludes have none.
-- columns: platform, post_id, asset_id; ts, author, simhash UBIGINT, confidence, n_assets, bull_rate, bear_rate
select
  m.platform,
  m.post_id,
  m.asset_id,
  p.ts,
  p.author,
  p.simhash,
  m.confidence,
  greatest(m.n_assets, 1) as n_assets,
  m.bull_rate,
  m.bear_rate
from lake.mentions m
join staging.posts p on p.platform = m.platform and p.post_id = m.post_id and p.source = m.source
qualify row_number() over (
  partition by m.platform, m.post_id, m.asset_id
  order by m.model desc, m.confidence desc, m.n_assets, m.bull_rate, m.bear_rate
) = 1
  -- The version of a model is a hash, which has no order in time.
  and m.model = max(m.model) over (partition by m.platform, m.post_id)

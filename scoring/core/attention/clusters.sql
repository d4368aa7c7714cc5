-- Near-duplicates on one platform within 72 hours that name one asset, and their credit: attention in posts of an
-- author of quality 1. Hashes of near-duplicates differ in at most 3 bits from the hash of the first post. `ts` and
-- `author` are of the first post that names the asset.
--   weight   quality x (1 + 0.5 ln(1 + engagement)) x confidence / assets of the post, halved for each earlier post of
--            the author on the asset in the UTC day
--   credit   the largest weight of a post x (1 + ln(distinct authors))
-- Posts that name more than 8 assets count nowhere.
-- columns: platform, cluster_id, asset_id; symbol, ts, author, n_posts, n_authors, credit
with weighed as (
  select
    *,
    quality_rate * (1 + 0.5 * ln(1 + engagement::double)) * 0.5 ** (kth - 1) * confidence / n_assets as credit
  from core.mentions
  where n_assets <= 8
)
select
  platform,
  cluster_id,
  asset_id,
  arg_min(symbol, struct_pack(ts := ts, post_id := post_id)) as symbol,
  min(ts) as ts,
  arg_min(author, struct_pack(ts := ts, post_id := post_id)) as author,
  count(*) as n_posts,
  count(distinct author) as n_authors,
  max(credit) * (1 + ln(count(distinct author))) as credit
from weighed
group by platform, cluster_id, asset_id

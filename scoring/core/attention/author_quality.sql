-- The quality of an author as seen at an instant, from 0.05 to 1. An outlet has 1. A rating by the platform is the
-- quality. Otherwise it is 0.05 + 0.95 times the mean of the known parts:
--   age        days since the author joined / 90, at most 1
--   audience   ln(1 + followers) / ln(10,001), at most 1
--   balance    followers / followed accounts, at most 1
-- times 100 / posts a day for authors with more than 100. An author of whom nothing is known has 0.2.
-- columns: platform, author, seen_at; quality_rate
with known as (
  -- Functions such as least ignore nulls, which are unknown here.
  select
    a.*,
    if(a.seen_at - a.joined_at < interval 1 day, 1, epoch(a.seen_at - a.joined_at) / 86400) as days
  from lake.authors a
  left join staging.precedences p on p.dataset = 'authors' and p.source = a.source
  where a.seen_at <= (select as_of from core.clock)
  qualify row_number() over (
    partition by a.platform, a.author, a.seen_at order by coalesce(p.precedence, 0) desc, a.source
  ) = 1
),
parts as (
  select
    *,
    if(days > 90, 1, days / 90) as age,
    if(n_followers > 10000, 1, ln(1 + n_followers) / ln(10001)) as audience,
    if(n_followers >= n_following, 1, n_followers / n_following) as balance,
    case when n_posts > 100 * days then 100 * days / n_posts else 1 end as calm
  from known
)
select
  platform,
  author,
  seen_at,
  case
    when is_outlet then 1
    when score is not null then least(1, greatest(0.05, score))
    when coalesce(age, audience, balance) is null then 0.2
    else 0.05 + 0.95 * calm * (coalesce(age, 0) + coalesce(audience, 0) + coalesce(balance, 0))
      / ((age is not null)::integer + (audience is not null)::integer + (balance is not null)::integer)
  end as quality_rate
from parts

-- Traders who act as one: those whom `metrics.acting_pairs` connects, over at most seven pairs. `acts_with` is the
-- trader of the group that was first most often in shared bets, minus the times that it was not; of equal ones the first
-- address. `n_members` counts the group.
-- columns: trader; acts_with, n_members
with leads as (
  select
    trader,
    row_number() over (order by sum(2 * n_first - n_shared) desc, trader) as number
  from metrics.acting_pairs
  group by trader
),
edges as (
  select x.number as a, y.number as b
  from metrics.acting_pairs p
  join leads x on x.trader = p.trader
  join leads y on y.trader = p.partner
),
-- Each step takes the least number of the neighbours, and of the neighbours of these.
firsts as (
  select e.a, least(e.a, min(e.b)) as label
  from edges e
  group by e.a
),
seconds as (
  select e.a, least(any_value(own.label), min(f.label)) as label
  from edges e
  join firsts f on f.a = e.b
  join firsts own on own.a = e.a
  group by e.a
),
jumps as (
  select s.a, f.label
  from seconds s
  join seconds f on f.a = s.label
),
thirds as (
  select e.a, least(any_value(own.label), min(j.label)) as label
  from edges e
  join jumps j on j.a = e.b
  join jumps own on own.a = e.a
  group by e.a
),
labels as (
  select t.a, f.label
  from thirds t
  join thirds f on f.a = t.label
)
select
  l.trader,
  first.trader as acts_with,
  count(*) over (partition by labels.label) as n_members
from labels
join leads l on l.number = labels.a
join leads first on first.number = labels.label

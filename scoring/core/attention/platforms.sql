-- The weight of a platform in the mean of the platforms' shares. The weights are chosen by hand: the platforms where
-- most people discuss assets weigh most. A platform without a weight counts nowhere.
-- columns: platform; weight
select platform, weight
from (
  values
    ('4chan', 0.05),
    ('bluesky', 0.10),
    ('farcaster', 0.10),
    ('news', 0.15),
    ('nostr', 0.02),
    ('reddit', 0.20),
    ('stocktwits', 0.10),
    ('telegram', 0.03),
    ('x', 0.25)
) as weights(platform, weight)

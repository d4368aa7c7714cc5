-- An address whose owner is known, such as a smart account with a single owner. An address with different owners on two
-- chains is left out. Transfers between addresses of one owner carry lots.
-- columns: address; owner, reason
select address, min(owner) as owner, min(coalesce(kind, '')) as reason
from staging.addresses
where owner is not null and owner <> address
group by address
having count(distinct owner) = 1

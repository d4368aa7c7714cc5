-- The tests of the closes as of the clock that are not held, with the figures that are off.
-- columns: kind; state, reason
select kind, state, reason
from marts.clv_guards
where state <> 'held'

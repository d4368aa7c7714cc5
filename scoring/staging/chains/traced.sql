-- A transaction whose calls were read, so that all movements of its native coin are rows.
-- columns: chain, block, tx
select distinct chain, block, tx
from lake.calls
where ts <= (select as_of from core.clock)

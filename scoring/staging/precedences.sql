-- The precedence of a source in a dataset: the highest of its units. Of two sources of the same rows, the one with the
-- higher precedence counts.
-- columns: dataset, source; precedence SMALLINT
select dataset, source, max(precedence) as precedence
from lake.coverage
group by dataset, source

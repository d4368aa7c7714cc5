import type { ReadResult, RowsOrColumns } from '#ingest/source.ts'
import type { Chain } from '#registry/chains/chain.ts'
import type { LogFilter } from '#sources/evm/rpc/log_checks.ts'

import type { RawBlock, RawHead } from './raw_block.ts'

/** The logs that a source reads, and the rows that it makes of their blocks, which end before `to`. */
export type WantedLogs = { filter: LogFilter; openRows: (chain: Chain, to: number) => UnitRows }

/** The rows of a unit, from its blocks alone. Blocks may come in any order; each is needed only while it is added. */
export type UnitRows = { add: (block: RawBlock) => void; result: (head: RawHead) => ReadResult<RowsOrColumns> }

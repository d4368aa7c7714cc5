/**
 * The blocks of a unit, by the first block from which that size holds, the latest first. A unit has some ten thousand
 * logs: few blocks of the early years have any. Each size divides the next start.
 */
const sizes = [
  { from: 70_000_000, blocks: 100 },
  { from: 58_000_000, blocks: 2_000 },
  { from: 50_000_000, blocks: 10_000 },
  { from: 4_000_000, blocks: 50_000 },
] as const

/** Before the first contract: only simulated chains have logs there. */
const earlyBlocks = 100

/** The number of blocks of the unit that has a block. */
export const unitSize = (block: number): number => sizes.find(({ from }) => block >= from)?.blocks ?? earlyBlocks

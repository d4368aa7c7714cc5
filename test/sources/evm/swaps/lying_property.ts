import fc from 'fast-check'

import { lying, type Lies } from './lies.ts'
import { blocksOf, nodeOf, type LyingWorld } from './lying_worlds.ts'
import { readerOver, readFinal } from './read_unit.ts'

const worlds: fc.Arbitrary<LyingWorld> = fc.record({
  seed: fc.nat(1_000_000),
  n_blocks: fc.integer({ min: 1, max: 30 }),
  n_others: fc.constantFrom(0, 0, 2, 20, 60),
  filters: fc.constantFrom('true', 'true', 'true', 'zeros', 'none'),
  hasRoots: fc.boolean(),
  hasReceipts: fc.boolean(),
  maxRange: fc.constantFrom(4, 10, 100),
})
const lies: fc.Arbitrary<Lies> = fc.record({
  seed: fc.nat(1_000_000),
  share: fc.constantFrom(0.05, 0.2, 0.5),
  of: fc.constantFrom('answer', 'block', 'log', 'receipt'),
  isSticky: fc.boolean(),
})
const sides = fc.constantFrom('alone', 'before an honest node', 'behind an honest node')

/** The counts of a run, which show that it had something to find. */
export type Tally = { n_complete: number; n_open: number }

/**
 * Reads random worlds through a node that leaves out logs, alone or beside an honest one. A complete unit has all rows of
 * an honest reading, and an honest node alone with receipts leaves none open.
 */
export async function assertNothingIsLost(numRuns: number, seed?: number): Promise<Tally> {
  const tally = { n_complete: 0, n_open: 0 }
  const property = fc.asyncProperty(worlds, lies, sides, async (world, lie, side) => {
    const blocks = blocksOf(world)
    const range = { from: 0, to: world.n_blocks }
    const honest = nodeOf(world, blocks)
    const liar = lying(honest, lie)
    const truth = await readFinal(readerOver('base', [nodeOf({ ...world, hasReceipts: true }, blocks)]).rpc, range)
    if (truth.state !== 'complete') throw new Error(`an honest reading: ${truth.state}; expected complete`)
    const nodes = side === 'alone' ? [liar] : side === 'before an honest node' ? [liar, honest] : [honest, liar]
    const read = await readFinal(readerOver('base', nodes).rpc, range)
    if (read.state === 'complete') tally.n_complete += 1
    else tally.n_open += 1
    if (read.state === 'complete' && read.rows !== truth.rows) throw new Error('rows are lost; expected an open unit')
    if (read.state === 'unverified' && read.gaps.length === 0) throw new Error('no gaps; expected the open blocks')
    const isProvable = side !== 'alone' && world.hasReceipts && lie.of !== 'receipt'
    if (isProvable && read.state !== 'complete') throw new Error(`${read.state}; expected complete by receipts`)
  })
  await fc.assert(property, { numRuns, ...(seed !== undefined && { seed }) })
  return tally
}

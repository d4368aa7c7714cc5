import { afterEach, describe, expect, test, vi } from 'vitest'

import * as logChecks from '#sources/evm/rpc/log_checks.ts'
import * as proofs from '#sources/evm/rpc/proof.ts'

import { assertNothingIsLost } from './lying_property.ts'

vi.mock('#sources/evm/rpc/log_checks.ts', { spy: true })
vi.mock('#sources/evm/rpc/proof.ts', { spy: true })

const { openBlocks } = await vi.importActual<typeof logChecks>('#sources/evm/rpc/log_checks.ts')

afterEach(() => void vi.resetAllMocks())

/** Skipped checks, each of which a node that leaves out logs gets past. */
const bugs: Record<string, () => void> = {
  'no filter is asked about blocks without logs': () =>
    vi.mocked(logChecks.openBlocks).mockImplementation((logs, headers, filter) => {
      const withLogs = new Set(logs.map(({ block }) => block))
      return openBlocks(logs, headers, filter).filter(({ block }) => withLogs.has(block))
    }),
  'a block with a wanted log counts as proved': () =>
    vi.mocked(logChecks.openBlocks).mockImplementation((logs, headers, filter) => {
      const withLogs = new Set(logs.map(({ block }) => block))
      return openBlocks(logs, headers, filter).filter(({ block }) => !withLogs.has(block))
    }),
  'empty filters prove blocks on chains without filters': () =>
    vi.mocked(logChecks.openBlocks).mockImplementation((logs, headers, filter) => {
      const withLogs = new Set(logs.map(({ block }) => block))
      const isZero = (bloom: string | null): boolean => bloom !== null && /^0x0+$/.test(bloom)
      return openBlocks(logs, headers, filter).filter(({ block, bloom }) => withLogs.has(block) || !isZero(bloom))
    }),
  'any receipts are a proof': () => vi.mocked(proofs.proofOf).mockReturnValue('filter'),
}

describe('a skipped check is found', () => {
  test.each(Object.entries(bugs))('%s', async (_, plant) => {
    plant()
    await expect(assertNothingIsLost(400, 7)).rejects.toThrow('rows are lost')
  })

  test('and no check is skipped without one', async () => {
    await assertNothingIsLost(50, 7)
  })
})

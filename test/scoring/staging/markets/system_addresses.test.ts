import { describe, expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

describe('system addresses', () => {
  test('are whole lower-case addresses, each with its name', async () => {
    const rows = await run('staging.system_addresses', {})
    expect(rows.length).toBeGreaterThanOrEqual(10)
    for (const { address, label } of rows) {
      expect(address).toMatch(/^0x[0-9a-f]{40}$/)
      expect(label).not.toBe('')
    }
    // The contract that holds the shares, and the exchange on which most of them were traded.
    expect(rows.map(({ address }) => address)).toEqual(
      expect.arrayContaining([
        '0x4d97dcd97ec945f40cf65f87097ace5ea0476045',
        '0x4bfb41d5b3570defd03c39a9a4d8de6bd8b8982e',
      ]),
    )
  })
})

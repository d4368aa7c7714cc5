import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

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

  test('have the pools that a chain shows', async () => {
    const pool = { venue: 'polymarket', address: '0xpool', ts: '2021-01-01', label: 'pool' }
    const rows = await run('staging.system_addresses', {
      'lake.venue_contracts': [pool, { ...pool, tx: '0x2' }, { ...pool, address: adapter, label: 'another pool' }],
    })
    expect(cut(rows, 'address', 'label').filter(([address]) => address === '0xpool' || address === adapter)).toEqual([
      [adapter, 'neg-risk adapter'],
      ['0xpool', 'pool'],
    ])
  })
})

const adapter = '0xd91e80cf2e7be2e162c6513ced06f1dd0da35296'

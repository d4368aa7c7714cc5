import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

type Row = Given[string][number]
const chain = 'polymarket_chain'
const api = 'polymarket_activity'

const stretch = (source: string, key: string, dataset: string, more: Row = {}): Row => ({
  dataset,
  part: 'polymarket',
  key,
  source,
  from_at: '2026-01-01',
  to_at: '2026-06-01',
  precedence: source === chain ? 40 : 20,
  ...more,
})
const covered = ['fills', 'activity'].flatMap((dataset) => [stretch(chain, '', dataset), stretch(api, 'ann', dataset)])
const fill = (source: string, more: Row = {}): Row => ({
  venue: 'polymarket',
  trader: 'ann',
  tx: '0x1',
  ts: '2026-03-01',
  token_id: 'yes',
  side: 'buy',
  price: 0.4,
  size: 10,
  cash_usd: 4,
  source,
  ...more,
})
const move = (source: string, more: Row = {}): Row => ({
  venue: 'polymarket',
  trader: 'ann',
  tx: '0x1',
  ts: '2026-03-01',
  market_id: 'm',
  kind: 'split',
  size: 5,
  cash_usd: 5,
  source,
  ...more,
})

const differences = async (fills: Row[], moves: Row[] = [], intervals: Row[] = covered) =>
  cut(
    await run('core.chain_differences', {
      'staging.coverage_intervals': intervals,
      'lake.blocks': [{ source: chain, block: 1 }],
      'lake.fills': fills,
      'lake.activity': moves,
    }),
    'fact',
    'place',
    'kind',
    'size_chain',
    'size_api',
  )

describe('the chain and the API', () => {
  test('agree in sums, to 0.00001 shares and less than a cent', async () => {
    const parts = [fill(chain, { size: 6, cash_usd: 2.4, seq: 1 }), fill(chain, { size: 4, cash_usd: 1.6, seq: 2 })]
    expect(await differences([...parts, fill(api, { size: 10.00001, cash_usd: 4.009999 })])).toEqual([])
    const redeemed = { kind: 'redeem', size: null, cash_usd: 5 }
    const halves = [
      move(chain, { ...redeemed, token_id: 'yes', size: 3, cash_usd: 3 }),
      move(chain, { ...redeemed, token_id: 'no', size: 4, cash_usd: 2 }),
    ]
    const converted = { kind: 'convert', neg_risk_id: 'g', tx: '0x2' }
    expect(
      await differences(
        [],
        [
          ...halves,
          move(api, redeemed),
          move(chain, { ...converted, market_id: '' }),
          move(api, { ...converted, size: 9 }),
        ],
      ),
    ).toEqual([])
  })

  test('differ in shares, in cash, or in what one of them lacks', async () => {
    expect(await differences([fill(chain), fill(api, { size: 9 })])).toEqual([['buy', 'yes', 'size', 10, 9]])
    expect(await differences([fill(chain), fill(api, { cash_usd: 4.01 })])).toEqual([['buy', 'yes', 'cash', 10, 10]])
    expect(await differences([fill(chain)])).toEqual([['buy', 'yes', 'no_api', 10, null]])
    expect(await differences([fill(chain, { size: 0.009999 })])).toEqual([['buy', 'yes', 'dust', 0.009999, null]])
    expect(await differences([fill(api, { side: 'sell' })])).toEqual([['sell', 'yes', 'no_chain', null, 10]])
    expect(await differences([], [move(chain, { size: 6 }), move(api)])).toEqual([['split', 'm', 'size', 6, 5]])
  })

  test('are compared only in accounts and times that both cover, and not in what the API never shows', async () => {
    expect(await differences([fill(chain, { trader: 'bob' })])).toEqual([])
    expect(await differences([fill(chain, { ts: '2026-07-01' }), fill(api, { ts: '2025-12-31' })])).toEqual([])
    const later = covered.map((row) => (row['key'] === 'ann' ? { ...row, from_at: '2026-03-02' } : row))
    expect(await differences([fill(chain)], [], later)).toEqual([])
    expect(await differences([], [move(chain, { kind: 'transfer_in' }), move(chain, { kind: 'reward' })])).toEqual([])
  })
})

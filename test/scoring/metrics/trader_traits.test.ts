import { describe, expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

describe('an archetype', () => {
  const traits = async (n_fills: number, n_closed: number) =>
    cut(
      await run('metrics.trader_traits', {
        'staging.fills': Array.from({ length: n_fills }, (_, seq) => ({ trader: 'ann', seq })),
        'metrics.trader_results': [
          { trader: 'ann', range: 'all', n_closed },
          { trader: 'ann', range: '30d', n_closed: 99 },
        ],
      }),
      'n_fills',
      'n_closed',
      'archetype',
    )

  test('is unproven below 20 fills or 10 closed markets of all time', async () => {
    expect(await traits(20, 10)).toEqual([[20, 10, 'generalist']])
    expect(await traits(19, 10)).toEqual([[19, 10, 'unproven']])
    expect(await traits(20, 9)).toEqual([[20, 9, 'unproven']])
    expect(await traits(0, 0)).toEqual([[0, 0, 'unproven']])
  })
})

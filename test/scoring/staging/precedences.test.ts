import { expect, test } from 'vitest'

import { cut, run } from '#test/scoring/model.ts'

test('a source has the highest precedence of its units, for each dataset', async () => {
  const unit = (dataset: string, source: string, precedence: number, state = 'done') => ({
    dataset,
    source,
    unit: `${source}/${precedence}`,
    precedence,
    state,
  })
  const rows = await run('staging.precedences', {
    'lake.coverage': [
      unit('fills', 'trades', 10),
      unit('fills', 'trades', 30, 'missing'),
      unit('fills', 'feed', 20),
      unit('quotes', 'trades', 5),
    ],
  })
  expect(cut(rows, 'dataset', 'source', 'precedence')).toEqual([
    ['fills', 'feed', 20],
    ['fills', 'trades', 30],
    ['quotes', 'trades', 5],
  ])
})

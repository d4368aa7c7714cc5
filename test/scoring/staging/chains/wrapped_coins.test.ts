import { expect, test } from 'vitest'

import { run } from '#test/scoring/model.ts'

test('each chain has one wrapped coin, a lower-case address', async () => {
  const rows = await run('staging.wrapped_coins', {})
  expect(new Set(rows.map(({ chain }) => chain)).size).toBe(rows.length)
  expect(rows.filter(({ wrapped }) => !/^0x[0-9a-f]{40}$/.test(String(wrapped)))).toEqual([])
  expect(rows).toContainEqual({ chain: 'ethereum', wrapped: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2' })
})

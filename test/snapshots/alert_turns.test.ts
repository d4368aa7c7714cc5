import { expect, test } from 'vitest'

import { askedByAlerts } from '#snapshots/queries.ts'
import { publish } from '#test/api/fixture.ts'

import { askEndlessly, marketsOf, openedMarts } from './opened.ts'

const { folder, open } = openedMarts()

test('alerts are read while callers have all their places, and take none of these', async () => {
  await publish(folder.dir, 'a', { markets: [{ id: 'of a' }] }, 'pulse')
  const { current } = await open()
  const snapshot = current('pulse')
  if (snapshot === null) throw new Error('a snapshot is expected')
  const callers = [1, 2, 3, 4].map(() => askEndlessly(snapshot))
  expect(await marketsOf(askedByAlerts(snapshot))).toEqual(['of a'])
  for (const { leave } of callers) leave()
  await Promise.allSettled(callers.map(({ answer }) => answer))
})

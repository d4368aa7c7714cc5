import { expect, onTestFinished, test } from 'vitest'

import { openFeedLog } from '#api/stream/feed_log.ts'
import { startService } from '#test/api/service.ts'

const at = (n: number): string => `2026-03-01 00:00:0${n}`

test('refreshes at one time read a new pulse once, and hold each event once', async () => {
  const service = await startService()
  onTestFinished(service.stop)
  await service.publish('before', { feed: [{ id: 'sig_0', at: at(0) }] }, 'pulse')
  const log = openFeedLog(service.marts)
  await Promise.all(Array.from({ length: 400 }, log.refresh))
  const first = log.last()
  const feed = [0, 1, 2].map((n) => ({ id: `sig_${n}`, at: at(n) }))
  await service.publish('after', { feed }, 'pulse')
  await Promise.all([log.refresh(), log.refresh(), log.refresh()])
  expect((await log.after(first)).map((event) => event.at - first)).toEqual([1_000_000, 2_000_000])
})

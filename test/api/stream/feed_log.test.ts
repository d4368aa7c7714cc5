import { expect, onTestFinished, test } from 'vitest'

import { openFeedLog } from '#api/stream/feed_log.ts'
import type { Snapshot } from '#snapshots/marts.ts'
import { MartsBusyError } from '#snapshots/queries.ts'
import { startService } from '#test/api/service.ts'

const at = (n: number): string => `2026-03-01 00:00:0${n}`

test('a listener from before signals that the pulse no longer has gets the newer ones', async () => {
  const service = await startService()
  onTestFinished(service.stop)
  await service.publish('before', { feed: [{ id: 'sig_1', at: at(1) }] }, 'pulse')
  const log = openFeedLog(service.marts)
  await log.refresh()
  const first = log.last()
  await service.publish('emptied', { feed: [] }, 'pulse')
  await log.refresh()
  expect(await log.after(first - 1)).toEqual([])
  await service.publish('after', { feed: [{ id: 'sig_2', at: at(2) }] }, 'pulse')
  await log.refresh()
  expect((await log.after(first - 1)).map((event) => event.at - first)).toEqual([1_000_000])
})

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

test('a new pulse that could not be read to its end is read again', async () => {
  const service = await startService()
  onTestFinished(service.stop)
  await service.publish('before', { feed: [{ id: 'sig_0', at: at(0) }] }, 'pulse')
  let isBusy = false
  const disturbed = new Map<Snapshot, Snapshot>()
  const current: typeof service.marts.current = (...names) => {
    const snapshot = service.marts.current(...names)
    if (snapshot === null) return null
    const query: Snapshot['query'] = async (...of) => {
      if (isBusy) throw new MartsBusyError('too many queries wait')
      return snapshot.query(...of)
    }
    const known = disturbed.get(snapshot) ?? { ...snapshot, query }
    disturbed.set(snapshot, known)
    return known
  }
  const log = openFeedLog({ current })
  await log.refresh()
  const first = log.last()
  await service.publish('after', { feed: [0, 1].map((n) => ({ id: `sig_${n}`, at: at(n) })) }, 'pulse')
  isBusy = true
  await expect(log.refresh()).rejects.toThrow(MartsBusyError)
  isBusy = false
  await log.refresh()
  expect((await log.after(first)).map((event) => event.at - first)).toEqual([1_000_000])
})

import { describe, expect, test } from 'vitest'

import { createPublishing } from '#activities/publishing.ts'
import { HOUR, SECOND } from '#time.ts'

/** Publications and pauses that end when the test says so, at a clock that stands at 100 by default. */
function publisher(clock = () => 100) {
  const asked: number[] = []
  const waiting: ((error?: Error) => void)[] = []
  const paused: { ms: number; end: () => void }[] = []
  const publishAsOf = (_name: string, asOf: number) =>
    new Promise<number>((resolve, reject) => {
      asked.push(asOf)
      waiting.push((error) => (error === undefined ? resolve(asOf) : reject(error)))
    })
  let now_ms = 0
  const sleep = (ms: number) => new Promise<void>((end) => void paused.push({ ms, end }))
  const publishing = createPublishing(publishAsOf, { clock, timers: { now_ms: () => now_ms, sleep } })
  const settle = async (): Promise<void> => {
    for (let n = 0; n < 20; n += 1) await Promise.resolve()
  }
  return {
    publishing,
    asked,
    settle,
    /** Ends the publication that began first, after so many milliseconds. */
    end: async ({ fault, after_ms = 0 }: { fault?: Error; after_ms?: number } = {}): Promise<void> => {
      now_ms += after_ms
      waiting.shift()?.(fault)
      await settle()
    },
    /** Ends the pause after a publication, and returns its length. */
    resume: async (): Promise<number | undefined> => {
      const pause = paused.shift()
      pause?.end()
      await settle()
      return pause?.ms
    },
  }
}

describe('the publications of a process', () => {
  test('follow one another, never as of an earlier or the same instant', async () => {
    const { publishing, asked, settle, end } = publisher()
    const first = publishing.publish('pulse', 90)
    await settle()
    const second = publishing.publish('pulse', 80)
    const other = publishing.publish('scores', 70)
    await settle()
    expect(asked).toEqual([90, 70])
    for (let n = 0; n < 3; n += 1) await end()
    expect([await first, await second, await other]).toEqual([90, 100, 70])
  })

  test('begin anew after a clock that was ahead is set back', async () => {
    let now = 2 * HOUR
    const { publishing, asked, settle, end } = publisher(() => now)
    for (const set of [2 * HOUR, HOUR, HOUR - SECOND]) {
      now = set
      const published = publishing.publish('pulse', null)
      await settle()
      await end()
      await published
    }
    expect(asked).toEqual([2 * HOUR, HOUR, HOUR])
  })

  test('never repeat the instant of a publication of all', async () => {
    const { publishing, asked, settle, end } = publisher()
    publishing.note(90)
    publishing.note(80)
    const [first, other] = [publishing.publish('pulse', 90), publishing.publish('scores', 95)]
    await settle()
    for (let n = 0; n < 2; n += 1) await end()
    expect([await first, await other, asked]).toEqual([100, 95, [100, 95]])
  })

  test('share a turn while they wait for it, as of the latest instant', async () => {
    const { publishing, asked, settle, end } = publisher()
    const first = publishing.publish('pulse', 50)
    await settle()
    const others = [60, 80, 70].map((asOf) => publishing.publish('pulse', asOf))
    await end()
    const last = publishing.publish('pulse', 85)
    const newest = publishing.publish('pulse', null)
    await end()
    await end()
    expect(asked).toEqual([50, 80, 100])
    expect(await Promise.all([first, ...others, last, newest])).toEqual([50, 80, 80, 80, 100, 100])
  })

  test('are made once for the rows of all follows, those that are being stored too, and at most once a second', async () => {
    const { publishing, asked, settle, end, resume } = publisher()
    const [trades, odds] = [publishing.follow('pulse'), publishing.follow('pulse')]
    expect([trades.isOpen(), odds.isOpen()]).toEqual([true, true])
    await trades.store(async () => true)
    let stored = (): void => undefined
    const storing = odds.store(() => new Promise((resolve) => void (stored = () => resolve(true))))
    expect([await resume(), asked.length, trades.isOpen()]).toEqual([120, 0, true])
    stored()
    await storing
    await settle()
    expect([asked.length, trades.isOpen(), odds.isOpen()]).toEqual([1, false, false])
    const ended = [trades.end(), odds.end()]
    await end({ after_ms: 300 })
    expect(await Promise.all(ended)).toEqual([null, null])
    expect([await resume(), trades.isOpen(), asked.length]).toEqual([580, true, 1])
    await odds.store(async () => true)
    await resume()
    expect(asked).toHaveLength(2)
    await end({ after_ms: 1_500 })
    expect([await resume(), await resume(), asked.length, odds.isOpen()]).toEqual([0, 120, 2, true])
  })

  test('are not made for a store without new rows, or one that fails', async () => {
    const { publishing, asked, resume } = publisher()
    const pulse = publishing.follow('pulse')
    await pulse.store(async () => false)
    await expect(pulse.store(() => Promise.reject(new Error('no space')))).rejects.toThrow('no space')
    expect([await resume(), await pulse.end(), asked]).toEqual([undefined, null, []])
  })

  test('report why the last one failed, and go on', async () => {
    const { publishing, end, resume } = publisher()
    const pulse = publishing.follow('pulse')
    const store = () => pulse.store(async () => true)
    await store()
    await resume()
    await end({ fault: new Error('no model') })
    expect(await pulse.end()).toBe('no model')
    await store()
    for (let n = 0; n < 2; n += 1) await resume()
    await end()
    expect(await pulse.end()).toBeNull()
  })
})

import { describe, expect, test } from 'vitest'

import { createPublishing } from '#activities/publishing.ts'

/** Publications that end when the test says so, at a clock that stands at 100. */
function publisher() {
  const asked: number[] = []
  const waiting: ((error?: Error) => void)[] = []
  const publishAsOf = (_name: string, asOf: number) =>
    new Promise<number>((resolve, reject) => {
      asked.push(asOf)
      waiting.push((error) => (error === undefined ? resolve(asOf) : reject(error)))
    })
  const publishing = createPublishing(publishAsOf, () => 100)
  const end = async (fault?: Error): Promise<void> => {
    waiting.shift()?.(fault)
    for (let n = 0; n < 10; n += 1) await Promise.resolve()
  }
  return { publishing, asked, end }
}

describe('the publications of a process', () => {
  test('follow one another, never as of an earlier or the same instant', async () => {
    const { publishing, asked, end } = publisher()
    const first = publishing.publish('pulse', 90)
    const second = publishing.publish('pulse', 80)
    const other = publishing.publish('scores', 70)
    await end()
    expect(asked).toEqual([90, 70])
    for (let n = 0; n < 3; n += 1) await end()
    expect([await first, await second, await other]).toEqual([90, 100, 70])
  })

  test('are made anew once for all the rows that came meanwhile', async () => {
    const { publishing, asked, end } = publisher()
    const pulse = publishing.follow('pulse')
    expect(pulse.isIdle()).toBe(true)
    for (let n = 0; n < 3; n += 1) pulse.notify()
    await end()
    expect([asked.length, pulse.isIdle()]).toEqual([1, false])
    for (let n = 0; n < 4; n += 1) await end()
    expect(asked).toEqual([100, 100])
    expect([await pulse.end(), pulse.isIdle()]).toEqual([null, true])
  })

  test('report why the last one failed, and go on', async () => {
    const { publishing, end } = publisher()
    const pulse = publishing.follow('pulse')
    pulse.notify()
    await end()
    await end(new Error('no model'))
    await end()
    expect(await pulse.end()).toBe('no model')
    pulse.notify()
    await end()
    await end()
    await end()
    expect(await pulse.end()).toBeNull()
  })
})

import { expect, test } from 'vitest'

import type { Activities } from '#activities/index.ts'
import { startWorkflow } from '#engine'
import { eventually } from '#test/run/eventually.ts'
import { pause, resume } from '#workflows/control.ts'
import { publish } from '#workflows/publish.ts'

/** Starts a publication whose terms end as the test says. */
function start() {
  const waiting: ((error?: Error) => void)[] = []
  let terms = 0
  const publishNewer: Activities['publishNewer'] = async () => {
    terms += 1
    await new Promise<void>((resolve, reject) => {
      waiting.push((error) => (error === undefined ? resolve() : reject(error)))
    })
    return { published: 2, asOf: terms, lakeSnapshot: 1 }
  }
  const handle = startWorkflow(publish, { args: [{ name: 'pulse' }], activities: { publishNewer } })
  return {
    handle,
    terms: () => terms,
    shown: () => handle.query<[], unknown>({ name: 'progress' }),
    endTerm: async (error?: Error) => {
      await eventually(() => expect(waiting.length).toBe(1), 1)
      waiting.shift()?.(error)
    },
    end: async () => {
      handle.cancel()
      waiting.shift()?.()
      await expect(handle.result).rejects.toThrow('cancelled')
    },
  }
}

test('a publication runs term after term, also as a new run, and shows how far it is', async () => {
  const { endTerm, shown, end } = start()
  for (let n = 0; n < 25; n += 1) await endTerm()
  await eventually(() => expect(shown()).toMatchObject({ published: 50, reached: { pulse: 25 }, fault: null }))
  await end()
})

test('a publication that fails says why, and goes on after a pause', async () => {
  const { endTerm, shown, end } = start()
  await endTerm()
  await endTerm(Object.assign(new Error('the model is wrong'), { name: 'ModelError' }))
  await eventually(() => expect(shown()).toMatchObject({ fault: 'the model is wrong', failedRounds: 1, published: 2 }))
  await endTerm()
  await eventually(() => expect(shown()).toMatchObject({ fault: null, failedRounds: 0, published: 4 }))
  await end()
})

test('a publication stands still while it is paused', async () => {
  const { handle, endTerm, terms, end } = start()
  await eventually(() => expect(terms()).toBe(1), 1)
  handle.signal(pause)
  await endTerm()
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(terms()).toBe(1)
  handle.signal(resume)
  await eventually(() => expect(terms()).toBe(2))
  await end()
})

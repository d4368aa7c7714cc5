import { beforeEach, expect, onTestFinished, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'

const list = '/v1/pm-markets?limit=10'
const other = '/v1/pm-markets?limit=20'
const titled = (question: string) => ({ markets: [{ id: 'a', question }] })

let service: Service
beforeEach(async () => {
  service = await startService({ rows: titled('first') })
  onTestFinished(() => service.stop())
})

/** Asks for a list: the question of its one market, and whether the answer was already there. */
async function ask(path: string, headers: Record<string, string> = {}): Promise<[unknown, boolean]> {
  service.lines.length = 0
  const { items } = await service.ask(path, { headers })
  await expect.poll(() => service.lines.length).toBe(1)
  return [items[0]?.['question'], JSON.parse(service.lines[0] ?? '').isHit]
}

test('a list that was asked is there before the next snapshot is served, in each of its forms', async () => {
  expect(await ask(list)).toEqual(['first', false])
  await service.publish('second', titled('second'))
  expect(await ask(list)).toEqual(['second', true])
  expect(await ask(other)).toEqual(['second', false])
  const csv = { accept: 'text/csv' }
  expect((await service.ask(list, { headers: csv })).text).toContain('second')
  await service.publish('third', titled('third'))
  expect((await service.ask(list, { headers: csv })).text).toContain('third')
  expect(await ask(other)).toEqual(['third', true])
})

test('a list that no caller asked on the last snapshot is not prepared', async () => {
  await ask(list)
  await service.publish('second', titled('second'))
  await service.publish('third', titled('third'))
  expect(await ask(list)).toEqual(['third', false])
  await service.publish('fourth', titled('fourth'))
  expect(await ask(list)).toEqual(['fourth', true])
})

test('answers prepared for one publication outlive the preparation of the other', async () => {
  await ask(list)
  await service.publish('second', titled('second'))
  await service.publish('later', {}, 'scores')
  const [, isHit] = await ask('/v1/pm-markets?limit=10')
  expect(isHit).toBe(true)
})

test('a page of a cursor keeps its snapshot', async () => {
  const two = { markets: ['a', 'b'].map((id) => ({ id, question: `${id} first` })) }
  await service.publish('two', two)
  const page = await service.ask('/v1/pm-markets?limit=1')
  const next = /^<([^>]*)>; rel="next"$/.exec(String(page.headers.link))?.[1] ?? ''
  expect(await ask(next)).toEqual([expect.stringMatching(/first$/), false])
  await service.publish('three', { markets: ['a', 'b'].map((id) => ({ id, question: `${id} second` })) })
  expect(await ask(next)).toEqual([expect.stringMatching(/first$/), true])
})

test('a snapshot does not wait longer for its answers than it may', async () => {
  const hasty = await startService({ rows: titled('first'), preparing_ms: 0 })
  onTestFinished(() => hasty.stop())
  await hasty.ask(list)
  await hasty.publish('second', titled('second'))
  expect((await hasty.ask(list)).items[0]?.['question']).toBe('second')
})

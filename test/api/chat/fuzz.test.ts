import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'

import type { Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

import { entities } from './entities.ts'
import { readQuestions } from './evaluate.ts'
import { startFixedMart } from './fixed_mart.ts'
import { readRows, wrongNumbers } from './wrong_numbers.ts'

let service: Service
let fragments: string[]
let rows: Awaited<ReturnType<typeof readRows>>
beforeAll(async () => {
  service = await startFixedMart({
    rateFactor: 10_000,
    more: { pulse: `update marts.feed set tier_required = 'enterprise', score = 97 where id = 'sig_05';` },
  })
  const sets = await Promise.all(['known', 'held_back', 'users', 'fresh'].map(readQuestions))
  fragments = [...new Set(sets.flat().flatMap(({ question }) => question.split(/\s+/)))]
  const both = service.marts.current('pulse', 'scores')
  if (!both) throw new Error('marts: no snapshot; expected the fixed mart')
  rows = await readRows(both)
})
afterAll(async () => service.stop())

const ask = async (query: string) => {
  const { status, json, text } = await service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys.pro}` },
    body: JSON.stringify({ query }),
  })
  return { status, answer: typeof json['answer'] === 'string' ? json['answer'] : text }
}

/** Words of questions in any order, repeated, joined by any sign, and any text between them. */
const mixture = () => {
  const word = fc.nat().map((n) => fragments[n % fragments.length] ?? '')
  const strange = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 12 }),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.constantFrom('\u0000', '\u202e', '\u200b', '\n\r\t', '%s', "';--", '-1e308', '٣', '½', '<asset>', '<address>'),
  )
  const joined = fc.tuple(
    fc.array(fc.oneof({ weight: 4, arbitrary: word }, strange), { minLength: 1, maxLength: 30 }),
    fc.constantFrom(' ', '', ',', ' the ', ' of '),
  )
  const mixed = joined.map(([parts, sign]) => parts.join(sign))
  const repeated = fc.tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.integer({ min: 10, max: 200 }))
  return fc.oneof(
    { weight: 6, arbitrary: mixed },
    { weight: 2, arbitrary: repeated.map(([parts, n]) => `${parts.join(' ')} `.repeat(n).slice(0, 500)) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', minLength: 400, maxLength: 10_000, size: 'max' }) },
  )
}

/** A time limit of the runner ends a question whose reading takes for ever. */
test('any text gets an answer or a 400, no figure of another entity, and no detail above the tier', async () => {
  await fc.assert(
    fc.asyncProperty(mixture(), async (query) => {
      const { status, answer } = await ask(query)
      expect(status, query).toSatisfy((one: number) => one === 200 || one === 400)
      if (status !== 200) return
      expect(wrongNumbers(answer, rows)).toEqual([])
      expect(answer).not.toMatch(/1,?850,?000|score 97\b|tl_live_|https?:/)
      const isAsked = query.toLowerCase().includes(entities['W2']?.toLowerCase() ?? '')
      if (!isAsked && answer.startsWith('Signals')) expect(answer.toLowerCase()).not.toContain('b2'.repeat(20))
    }),
    { numRuns: sized(40, 100, 300) },
  )
})

test('a question of 501 characters or more is a 400, and one of 500 is read', async () => {
  const statuses = await Promise.all(['', ' ', 'a'.repeat(500), 'a'.repeat(501), 'b'.repeat(10_240)].map(ask))
  expect(statuses.map(({ status }) => status)).toEqual([400, 400, 200, 400, 400])
})

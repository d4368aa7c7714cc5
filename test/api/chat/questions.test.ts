import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import type { Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

import { askQuestion, readQuestions, states, type Outcome } from './evaluate.ts'
import { startFixedMart } from './fixed_mart.ts'
import { readRows, wrongNumbers } from './wrong_numbers.ts'

let service: Service
beforeAll(async () => {
  service = await startFixedMart()
})
afterAll(async () => service.stop())

/** The short form asks each eighth question. */
const step = sized(8, 3, 1)

const askAll = async (name: string): Promise<Outcome[]> => {
  const outcomes: Outcome[] = []
  const all = await readQuestions(name)
  for (const question of all.filter((_, i) => i % step === 0)) outcomes.push(await askQuestion(service, question))
  return outcomes
}

const names = [
  'known',
  'held_back',
  'users',
  'fresh',
  'unseen',
  'independent',
  'independent_b',
  'varied',
  'five',
  'voices',
  'later',
  'asked_known',
  'asked_held_back',
  'everyday',
]

describe.each(names)('the questions of %s', (name) => {
  test('have the right intent and slots in nine of ten, and no wrong number', async () => {
    const outcomes = await askAll(name)
    const right = outcomes.filter(({ isPlanRight }) => isPlanRight)
    expect(right.length / outcomes.length).toBeGreaterThanOrEqual(0.9)
    expect(right.filter(({ missingNumbers }) => missingNumbers.length > 0)).toEqual([])
    const both = service.marts.current('pulse', 'scores')
    if (!both) throw new Error('marts: no snapshot; expected the fixed mart')
    const rows = await readRows(both)
    expect(outcomes.flatMap(({ answer }) => wrongNumbers(answer, rows))).toEqual([])
    expect(outcomes.filter(({ answer }) => answer.startsWith('- ')).length).toBeLessThan(outcomes.length)
  })
})

test('a number that belongs to another entity is found to be wrong', async () => {
  const both = service.marts.current('pulse', 'scores')
  if (!both) throw new Error('marts: no snapshot; expected the fixed mart')
  const rows = await readRows(both)
  expect(wrongNumbers('- BTC: mindshare 33.52 %', rows)).toEqual([])
  expect(wrongNumbers('- BTC: mindshare 17.01 %', rows)).toEqual(['btc: 17.01'])
  expect(wrongNumbers('- "Will the Fed cut rates in March 2026?": YES 31.00 %', rows)).toHaveLength(1)
  expect(states('mindshare 33.52 %', 33.518802)).toBe(true)
  expect(states('mindshare 33.53 %', 33.518802)).toBe(false)
})

const ask = async (query: string, tier: 'free' | 'pro' | 'enterprise' = 'enterprise') =>
  service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys[tier]}` },
    body: JSON.stringify({ query }),
  })

test('an answer names its sources, its plan and the instant of its facts', async () => {
  const { json, headers } = await ask('mindshare of SOL this week')
  expect(json['answer']).toBe(
    'Attention over 7d:\n- SOL: mindshare 12.77 %, change +3.90 points, rank 3, bullish\nAs of 2026-03-01T12:00:00.000Z.',
  )
  expect(json['sources']).toEqual([{ type: 'social', entity: 'SOL', signal_id: '' }])
  expect(headers['x-data-as-of']).toBe('2026-03-01T12:00:00.000Z')
  expect(headers['x-chat-engine']).toBe('rules')
  const feed = await ask('top 2 signals')
  expect(feed.json['sources']).toMatchObject([{ signal_id: 'sig_01' }, { signal_id: 'sig_02' }])
})

test.each([
  'show alerts',
  'Show me all alerts, please',
  'list alrets',
  'alerts?',
  'my alrets',
  'which alrets am I getting on telegram',
])('`%s` asks for the alerts of the caller', async (query) => {
  expect((await ask(query)).json['answer']).toBe('You have no alert.')
})

test.each(['show whale alerts', 'show 4 social alerts', 'latest alerts'])('`%s` asks for signals', async (query) => {
  expect((await ask(query)).json['answer']).toMatch(/^Signals/)
})

test('a refusal has no sources and says what can be asked', async () => {
  for (const query of ['a joke, please', 'should I buy ETH?', 'odds of aliens landing', 'help']) {
    const { json } = await ask(query)
    expect(json['sources']).toEqual([])
    expect(json['answer']).toContain('You can ask, for example:\n- ')
  }
})

test('the tier of the endpoint holds, and questions have a limit of their own', async () => {
  expect((await ask('mindshare of SOL', 'free')).status).toBe(403)
  const strict = await startFixedMart({ rateFactor: 0.1 })
  const body = JSON.stringify({ query: 'mindshare of SOL' })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${strict.keys.pro}` }
  const send = () => strict.ask('/v1/chat', { method: 'POST', headers, body })
  const statuses = [(await send()).status, (await send()).status]
  expect(statuses).toEqual([200, 200])
  const third = await send()
  expect([third.status, third.json['error'], third.headers['retry-after']]).toEqual([429, 'rate_limit_exceeded', '60'])
  await strict.stop()
})

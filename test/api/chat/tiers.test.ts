import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import type { Tier } from '#accounts/tiers.ts'
import type { Service } from '#test/api/service.ts'
import { sized } from '#test/run/sized.ts'

import { entities } from './entities.ts'
import { readQuestions } from './evaluate.ts'
import { startFixedMart } from './fixed_mart.ts'

/**
 * Two services differ in what the tier `pro` must not see: subjects, summaries, scores and evidence of the signals of
 * enterprise. Whatever it learns about them is a difference of two answers.
 */
let [one, other]: Service[] = []
const above = `update marts.feed set tier_required = 'enterprise' where tier_required = 'pro';`
const changed = `update marts.feed set entity = case when entity like '0x%' then left(entity, 4) || repeat('9', 36) || right(entity, 2)
    else 'BTC' end, summary = 'Nothing like it', symbol = 'BTC', direction = 'down', score = score - 9,
    evidence = [struct_pack(kind := 'other', ref := 'other', ts := timestamp '2026-01-01', value := 4242.0)]
  where tier_required = 'enterprise';`

beforeAll(async () => {
  one = await startFixedMart({ more: { pulse: above } })
  other = await startFixedMart({ more: { pulse: `${above}\n${changed}` } })
})
afterAll(async () => {
  await one?.stop()
  await other?.stop()
})

const both = (): [Service, Service] => {
  if (!one || !other) throw new Error('services: not started; expected two')
  return [one, other]
}

/** The answer of the assistant, without the figure of the caller's own requests. */
const chat = async (service: Service, query: string, tier: Tier) => {
  const { status, text, headers } = await service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys[tier]}` },
    body: JSON.stringify({ query }),
  })
  return [status, text.replaceAll(/left in this minute \d+/g, ''), headers['x-chat-plan'], headers['x-data-as-of']]
}

const called = z.object({
  result: z.object({ isError: z.boolean().optional(), content: z.array(z.object({ text: z.string() })) }),
})

/** The result of a tool of the Model Context Protocol. */
const tool = async (service: Service, name: string, input: object, tier: Tier) => {
  const { text } = await service.ask('/mcp', {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      authorization: `Bearer ${service.keys[tier]}`,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  })
  const { isError = false, content } = called.parse(JSON.parse(text)).result
  return [isError, content.map((part) => part.text.replaceAll(/left in this minute \d+/g, ''))]
}

const probes = [
  'show all signals',
  'signals about ETH',
  'signals about BTC',
  `signals about ${entities['W2']}`,
  `what has ${entities['W6']} done this week`,
  'wallet signals since yesterday',
  'why is ETH trending',
  'why sig_01',
  'evidence of sig_05',
  'highest scoring signal',
  'how many points has sig_08',
  'compare sig_01 and sig_04',
]

const questions = async (): Promise<string[]> => {
  const sets = await Promise.all(['known', 'held_back', 'users', 'fresh'].map(readQuestions))
  const step = sized(24, 8, 4)
  return [
    ...probes,
    ...sets
      .flat()
      .filter((_, i) => i % step === 0)
      .map(({ question }) => question),
  ]
}

test('no answer to pro depends on what signals of enterprise say, by chat or by tool', async () => {
  const [first, second] = both()
  for (const question of await questions()) {
    expect(await chat(first, question, 'pro'), question).toEqual(await chat(second, question, 'pro'))
  }
  for (const question of probes) {
    const input = { query: question }
    expect(await tool(first, 'chat', input, 'pro'), question).toEqual(await tool(second, 'chat', input, 'pro'))
  }
  for (const [name, input] of [
    ['feed', {}],
    ['feed', { type: 'wallet' }],
    ['signals', { assets: 'ETH' }],
  ] as const) {
    expect(await tool(first, name, input, 'pro'), name).toEqual(await tool(second, name, input, 'pro'))
  }
})

test('enterprise sees the difference, so that the comparison can fail', async () => {
  const [first, second] = both()
  for (const question of probes.slice(0, 4)) {
    expect(await chat(first, question, 'enterprise'), question).not.toEqual(await chat(second, question, 'enterprise'))
  }
  expect(await tool(first, 'feed', {}, 'enterprise')).not.toEqual(await tool(second, 'feed', {}, 'enterprise'))
})

test('free is refused every question, and every tool whose endpoint REST refuses to it', async () => {
  const [service] = both()
  for (const question of await questions()) {
    const [status, text] = await chat(service, question, 'free')
    expect([status, String(text).includes('"forbidden"')], question).toEqual([403, true])
  }
  const address = entities['W1']
  for (const [name, input] of [
    ['chat', { query: 'show all signals' }],
    ['pm_traders', {}],
    ['discover', {}],
    ['wallet', { address }],
    ['pm_wallet', { address }],
    ['alerts', {}],
  ] as const) {
    const [isError, content] = await tool(service, name, input, 'free')
    expect([isError, String(content).includes('"forbidden"')], name).toEqual([true, true])
  }
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { intents } from '#api/chat/intents/index.ts'
import { planOf } from '#api/chat/route.ts'
import type { Service } from '#test/api/service.ts'

import { entities, withEntities } from './entities.ts'
import { startFixedMart } from './fixed_mart.ts'

/** A second wallet with the ends of the second one. */
const { W2 = '' } = entities
const twin = `${W2.slice(0, 10)}${'9'.repeat(20)}${W2.slice(-12)}`.toLowerCase()

let service: Service
beforeAll(async () => {
  const more = `insert into marts.wallet
    select * replace ('${twin}' as address) from marts.wallet where address = lower('${W2}');`
  service = await startFixedMart({ more: { scores: more } })
})
afterAll(async () => service.stop())

const plan = z.object({ intent: z.string(), slots: z.record(z.string(), z.unknown()) })

const ask = async (query: string) => {
  const { headers } = await service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys.pro}` },
    body: JSON.stringify({ query }),
  })
  return plan.parse(JSON.parse(Buffer.from(String(headers['x-chat-plan']), 'base64url').toString()))
}

test.each([
  ['holdings of 0xb1b1…b1b1', 'wallet', '{W1}'],
  ['holdings of 0xB1B1...B1B1', 'wallet', '{W1}'],
  ['holdings of 0xb1b1b1', 'wallet', '{W1}'],
  ['holdings of EPjF...Dt1v', 'wallet', '{W6}'],
  ['what does the wallet ending in b1b1 hold', 'wallet', '{W1}'],
  ['the wallet starting with 0xb1 and ending in b1b1', 'wallet', '{W1}'],
  ['clv of the trader ending with a6a6', 'pm_wallet', '{T6}'],
  ['which bets made 0xa1a1…a1a1 rich', 'why_pm_wallet', '{T1}'],
  ['signals about 0xb1b1…b1b1', 'feed', '{W1}'],
])('`%s` is about the one address with these ends', async (question, intent, address) => {
  const found = await ask(question)
  expect(found.intent).toBe(intent)
  expect(found.slots['address']).toBe(withEntities(address))
})

test.each(['{M1}', 'Polymarket:0x{D1}', 'POLYMARKET:0X{D1}'])(
  'an id of a market counts in any case: %s',
  async (id) => {
    const written = withEntities(id.replace('{D1}', 'D1'.repeat(32)))
    const { intent, slots } = await ask(`odds of ${written}`)
    expect([intent, slots['markets']]).toEqual(['pm_markets', [entities['M1']]])
  },
)

test('a plan of a model names a market in any case', () => {
  const { M1 = '' } = entities
  const written = M1.replace('0xd1', '0XD1')
  expect(written).not.toBe(M1)
  expect(planOf(intents, 'pm_markets', { markets: [written] }).slots).toMatchObject({ markets: [M1] })
})

test('two shortened addresses are compared', async () => {
  const { intent, slots } = await ask('compare 0xa1a1…a1a1 and 0xa6a6…a6a6')
  expect([intent, slots['items']]).toEqual(['compare', [withEntities('{T1}'), withEntities('{T6}')]])
})

test.each([
  ['holdings of 0xb2b2…b2b2', 'two addresses have these ends'],
  ['what does the wallet ending in b2b2 hold', 'two addresses have this end'],
  ['pnl of 0xdead…beef', 'no address has these ends'],
  ['pnl of 0xb1…b1', 'a mask of the feed shows as much'],
  ['holdings of EPjF…1v', 'a mask of the feed shows as much'],
  ['holdings of the wallet ending in b1', 'an end of two characters is too short'],
])('`%s` is asked back: %s', async (question) => {
  expect(await ask(question)).toEqual({ intent: 'clarify', slots: { missing: 'address' } })
})

test.each(['hmm...what are the odds of a us recession', 'markets ending in june', 'wallets that end in the green'])(
  '`%s` has no address',
  async (question) => {
    expect((await ask(question)).slots['missing']).not.toBe('address')
  },
)

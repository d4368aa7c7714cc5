import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { largeNumbersInDigits } from '#api/chat/reading/number_words.ts'
import type { Service } from '#test/api/service.ts'

import { withEntities } from './entities.ts'
import { startFixedMart } from './fixed_mart.ts'

let service: Service
beforeAll(async () => {
  service = await startFixedMart()
})
afterAll(async () => service.stop())

const plan = z.object({ intent: z.string(), slots: z.record(z.string(), z.unknown()) })

const ask = async (query: string) => {
  const { headers, json } = await service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys.enterprise}` },
    body: JSON.stringify({ query: withEntities(query) }),
  })
  const encoded = Buffer.from(String(headers['x-chat-plan']), 'base64url').toString()
  return { ...plan.parse(JSON.parse(encoded)), answer: String(json['answer']), sources: json['sources'] }
}

test.each([
  ['30d PnL of {T1}', '30d', 'PnL $12,840.11, win rate 61.22 %, closing line value +4.12 points, sharp'],
  ['what did trader {T3} make in the last month', '30d', 'PnL -$4,120.40'],
  ['what did {T1} make in 30 days', '30d', 'PnL $12,840.11'],
  ['how has {T2} done on polymarket over the past 90 days', '90d', 'PnL $22,760.18'],
  ['{T7} pnl this quarter', '90d', 'PnL $48,333.05'],
  ['{T7} all-time pnl', 'all', 'total PnL $155,902.41'],
  ['{T7} pnl', 'all', 'total PnL $155,902.41'],
])('`%s` is answered from the list of %s', async (question, range, figures) => {
  const { intent, slots, answer, sources } = await ask(question)
  expect([intent, slots['range']]).toEqual(['pm_wallet', range])
  expect(answer).toContain(figures)
  expect(sources).toHaveLength(1)
})

test('a trader who is not listed in a range has no figure of it, and none of all time', async () => {
  const { slots, answer, sources } = await ask('30 day pnl of {T9} on polymarket')
  expect([slots['range'], sources]).toEqual(['30d', []])
  expect(answer).toMatch(/^No result of 0x\w{40} over 30 days is listed\. .*\nCoverage: partial/)
  expect(answer).not.toContain('$')
})

test.each([
  ['pnl of {T1} over the last 7 days', 'range'],
  ['what did {T1} make in the last 7 days', 'range'],
  ['{T1} 24h pnl', 'range'],
  ['win rate of {T4} this year', 'range'],
  ['which bets made {T1} money in the last 30 days', 'range'],
  ['compare {T1} and {T2} over 30 days', 'range'],
  ['compare {T1} and {T2} this week', 'range'],
  ['how much did {W1} make this week', 'range'],
  ['wallet signals since 22.11.2026', 'range'],
  ['what happened since last night', 'range'],
  ['signals since feb 30', 'range'],
  ['what happened since january', 'range'],
  ['social signals in january', 'range'],
  ['signals of last weekend', 'range'],
  ['signals since 10am EST', 'range'],
  ['signals since 2026-02-28 10:00 PST', 'range'],
  ['top traders since nov 20', 'range'],
  ['top traders by pnl since 2025-11-20', 'range'],
  ['top wallets on base since 5 jan', 'range'],
  ['btc mindshare on feb 20', 'range'],
  ['sentiment of eth since 9am', 'range'],
  ['sentiment of eth since tues', 'range'],
  ['fed cut odds yesterday', 'range'],
  ['top markets by volume over the last week', 'range'],
  ['signals from feb 25 to feb 27', 'range'],
  ['holdings of vitalik.eth', 'address'],
  ['pnl of 0xa1a1…a2a2', 'address'],
  ['top traders since 2023', 'range'],
  ['show me the odds on it', 'market'],
  ['how much is he up?', 'address'],
  ['why did that alert fire', 'signal'],
  ['what does that score mean', 'term'],
  ['is cardano trending', 'asset'],
  ['odds that bitcoin hits 200k by june', 'market'],
  ['odds of a category 4 hurricane in florida', 'market'],
  ['odds of a category 5 hurricane in texas', 'market'],
  ['odds of a us recession in 2027', 'market'],
  ['odds of a fed cut in april', 'market'],
  ['price of yes on solana flipping bitcoin', 'market'],
  ['superbowl lxi odds', 'market'],
  ['politics markets', 'market'],
  ['top prediction markets about trump', 'market'],
  ['think lakers got a shot at the crown?', 'market'],
  ['how did {T6} do in january', 'range'],
])('`%s` lacks its %s, and no figure of another one is stated', async (question, missing) => {
  const { intent, slots, sources } = await ask(question)
  expect({ intent, slots, sources }).toEqual({ intent: 'clarify', slots: { missing }, sources: [] })
})

test.each([
  'best traders on kalshi',
  'average win rate of traders',
  'how many coins are bullish',
  'total volume on kalshi',
  'correlation of btc and eth mindshare',
  'when does the fed market resolve',
  'who won the last presidential election',
  'which wallets hold pepe',
  'best traders in politics',
  'pnl of bitcoin',
  'what does elon think of doge',
  'which traders bet on the lakers',
  'how many markets did {T7} trade in the last 30 days',
])('`%s` is refused, since no table has it', async (question) => {
  const { intent, slots, sources } = await ask(question)
  expect({ intent, slots, sources }).toEqual({ intent: 'refuse', slots: { reason: 'unsupported' }, sources: [] })
})

test.each([
  ['odds of a fed cut in march', ['{M2}', '{M8}']],
  ['chance of bitcoin at 150k in the market on june 30', ['{M1}']],
  ['chance of bitcoin at one hundred fifty thousand by june', ['{M1}']],
  ['odds of a category five hurricane in florida', ['{M10}']],
  ['any money flowing into the mars market?', ['{M6}']],
])('`%s` names its markets', async (question, markets) => {
  const { intent, slots } = await ask(question)
  expect(intent).toBe('pm_markets')
  expect(z.array(z.string()).parse(slots['markets']).toSorted()).toEqual(markets.map(withEntities).toSorted())
})

test.each([
  ['top markets this week', 'pm_markets'],
  ['which trader lost all his money', 'pm_traders'],
  ['coins that are hot and what is behind them', 'signals'],
  ['how many alerts have i set', 'alerts'],
  ['did i ask you to ping me about solana', 'alerts'],
  ['when did i create my watchlists', 'watchlists'],
  ['who am i keeping an eye on', 'watchlists'],
])('`%s` is answered by %s', async (question, intent) => {
  expect((await ask(question)).intent).toBe(intent)
})

test('things that a list leaves out may be several', async () => {
  const { answer } = await ask('coins other than bitcoin, ethereum and solana')
  expect(answer).not.toMatch(/- (BTC|ETH|SOL):/)
  expect(answer).toMatch(/^Left out: BTC, .*SOL/m)
})

test.each([
  ['one hundred fifty thousand', '150000'],
  ['at two million three hundred thousand and five', 'at 2300005'],
  ['top two coins of a thousand', 'top two coins of a thousand'],
])('%s is %s', (text, digits) => {
  expect(largeNumbersInDigits(text)).toBe(digits)
})

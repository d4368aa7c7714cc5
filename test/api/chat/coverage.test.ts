import { afterAll, beforeAll, expect, test } from 'vitest'

import { endpoints } from '#api/endpoints/index.ts'
import { linkChat } from '#test/api/alerts/linked.ts'
import type { Service } from '#test/api/service.ts'

import { withEntities } from './entities.ts'
import { askQuestion } from './evaluate.ts'
import { startFixedMart } from './fixed_mart.ts'

let service: Service
beforeAll(async () => {
  service = await startFixedMart()
})
afterAll(async () => service.stop())

/** By read: the intent, the values of its parameters, and a question that names them. */
const reads: Record<string, readonly [question: string, intent: string, slots: Record<string, unknown>][]> = {
  'GET /feed': [
    ['market signals of the last 24 hours', 'feed', { type: 'market', since: '2026-02-28T12:00:00.000Z' }],
    ['signals about ETH since friday', 'feed', { asset: 'ETH', since: '2026-02-27T00:00:00.000Z' }],
    ['why sig_02', 'why_signal', { signal: 'sig_02' }],
  ],
  'GET /signals': [
    ['bullish coins this week', 'signals', { sentiment: 'bullish', range: '7d' }],
    ['btc vs eth this month', 'compare', { of: 'signals', items: ['BTC', 'ETH'] }],
    ['least talked about coin', 'signals', { sort: 'least', limit: 1 }],
    ['why is SOL trending', 'why_asset', { asset: 'SOL' }],
  ],
  'GET /pm-markets': [
    ['closed kalshi markets', 'pm_markets', { platform: 'kalshi', status: 'closed' }],
    ['recession odds', 'pm_markets', { markets: ['{M9}'] }],
    ['which market has the least volume', 'pm_markets', { sort: 'least_volume', limit: 1 }],
  ],
  'GET /pm-traders': [
    [
      'worst 2 whales on polymarket by pnl, all time',
      'pm_traders',
      { sort: 'pnl', range: 'all', archetype: 'whale', order: 'worst', limit: 2 },
    ],
  ],
  'GET /pm-wallet': [
    ['record of {T1}', 'pm_wallet', { address: '{T1}' }],
    ['which markets made the pnl of {T1}', 'why_pm_wallet', { address: '{T1}' }],
    ['{T1} vs {T2}', 'compare', { of: 'pm_wallet', items: ['{T1}', '{T2}'] }],
  ],
  'GET /discover': [
    [
      'top 3 smart money wallets on base by win rate, 90 days',
      'discover',
      { chain: 'base', tag: 'smart_money', sort: 'win_rate', range: '90d', limit: 3 },
    ],
  ],
  'GET /wallet': [
    ['what does {W3} hold on ethereum', 'wallet', { address: '{W3}', chain: 'ethereum' }],
    ['tokens behind the pnl of {W1} on base', 'why_wallet', { address: '{W1}', chain: 'base' }],
    ['{W1} vs {W2}', 'compare', { of: 'wallet', items: ['{W1}', '{W2}'] }],
  ],
  'GET /alerts': [['which alerts do I have', 'alerts', {}]],
  'GET /watchlists': [['my watchlists', 'watchlists', {}]],
  'GET /account': [['what is my rate limit', 'account', {}]],
}

/** Reads of the pages. The assistant answers the same from other reads. */
const ofPages = [
  'GET /coverage',
  'GET /markets',
  'GET /signal-evidence',
  'GET /trader-ranks',
  'GET /wallet-ranks',
  'GET /trader-profile',
  'GET /trader-days',
  'GET /trader-traits',
  'GET /trader-categories',
  'GET /trader-positions',
  'GET /trader-markets',
  'GET /trader-fills',
  'GET /wallet-profiles',
  'GET /wallet-days',
  'GET /wallet-traits',
  'GET /wallet-tokens',
  'GET /wallet-holdings',
  'GET /wallet-trades',
  'GET /market-outcomes',
  'GET /market-hours',
  'GET /market-holders',
  'GET /market-fills',
  'GET /asset-days',
]

test('every read has a question, and its parameters have words', async () => {
  expect([...Object.keys(reads), ...ofPages].sort()).toEqual(
    endpoints.flatMap(({ method, name }) => (method === 'GET' ? [name] : [])).sort(),
  )
  for (const [question, intent, slots] of Object.values(reads).flat()) {
    const { isPlanRight, plan } = await askQuestion(service, withCodes({ question, intent, slots, numbers: [] }))
    expect(isPlanRight, `${question}: ${plan}`).toBe(true)
  }
})

const withCodes = <T>(of: T): T => JSON.parse(withEntities(JSON.stringify(of))) as T

test('what a question leaves out is in no fact, and a condition on a figure is not passed over in silence', async () => {
  const answer = async (question: string) =>
    (await askQuestion(service, { question, intent: 'help', slots: {}, numbers: [] }, 'pro')).answer
  const traders = await answer('traders who are not whales by pnl')
  expect(traders).toMatch(/Left out: whale\./)
  expect(traders.split('\n').filter((line) => line.startsWith('- ') && line.includes('whale'))).toEqual([])
  expect(await answer('coins other than btc by mindshare')).not.toContain('- BTC')
  expect(await answer('markets with a probability above 50 %')).toContain('not applied')
  expect(await answer('bitcoin above 100k on march 31')).not.toContain('not applied')
})

test('words of time count back from the data, which may end long before the clock of the machine', async () => {
  const before = service.clock.at
  service.clock.at = before + 40 * 86_400_000_000
  const answers = await Promise.all(
    ['what happened in the last hour?', 'signals of today', 'signals since yesterday'].map(
      async (question) => (await askQuestion(service, { question, intent: 'feed', slots: {}, numbers: [] })).answer,
    ),
  ).finally(() => (service.clock.at = before))
  expect(answers.map((answer) => /since (\S+?Z)/.exec(answer)?.[1])).toEqual([
    '2026-03-01T11:00:00.000Z',
    '2026-03-01T00:00:00.000Z',
    '2026-02-28T00:00:00.000Z',
  ])
  for (const answer of answers) expect(answer).toMatch(/^As of 2026-03-01T12:00:00/m)
})

test('alerts are those of the caller', async () => {
  await linkChat(service.accounts, service.keys.pro, 1)
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${service.keys.pro}` }
  const body = JSON.stringify({ type: 'social', entity: 'SOL', threshold: { mindshare_delta: 2.5 } })
  expect((await service.ask('/v1/alerts', { method: 'POST', headers, body })).status).toBe(201)
  const ask = async (tier: 'pro' | 'enterprise') =>
    (await askQuestion(service, { question: 'my alerts', intent: 'alerts', slots: {}, numbers: [] }, tier)).answer
  expect(await ask('pro')).toBe('Your alerts:\n- SOL: social, mindshare_delta 2.5, active')
  expect(await ask('enterprise')).toBe('You have no alert.')
})

test('an address of which nothing is stored has no figures, also beside another and by its parts', async () => {
  const strange = '0xdededededededededededededededededededede'
  const ask = async (question: string) => {
    const { answer } = await askQuestion(service, {
      question: withEntities(question),
      intent: 'help',
      slots: {},
      numbers: [],
    })
    return answer.toLowerCase()
  }
  const linesOf = (answer: string) => answer.split('\n').filter((line) => line.startsWith('- '))

  const traders = await ask(`polymarket record of {T1} vs ${strange}`)
  expect(linesOf(traders)).toHaveLength(1)
  expect(traders).toContain(`no trade of ${strange} on prediction markets is stored.`)
  expect(traders).toContain('coverage: pending.')
  const wallets = await ask(`{W1} vs ${strange}`)
  expect(linesOf(wallets).filter((line) => line.includes(strange))).toEqual([])
  expect(wallets).toContain(`no realized pnl and no holding of ${strange} on ethereum is known.`)

  const markets = await ask(`which markets made the pnl of ${strange}`)
  expect(linesOf(markets)).toEqual([])
  expect(markets).toContain(`no trade of ${strange} on prediction markets is stored.`)
  const tokens = await ask(`tokens behind the pnl of ${strange} on base`)
  expect(linesOf(tokens)).toEqual([])
  expect(tokens).toContain(`no realized pnl and no holding of ${strange} on base is known.`)
})

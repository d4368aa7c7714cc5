import fc from 'fast-check'
import { expect, test } from 'vitest'

import { intents } from '#api/chat/intents/index.ts'
import { readQuestion } from '#api/chat/reading/reading.ts'
import { planOf, route } from '#api/chat/route.ts'
import { sized } from '#test/run/sized.ts'

import { entities } from './entities.ts'
import { askedAt_ms } from './fixed_mart.ts'

const lexicon = {
  snapshot: '',
  asOf: null,
  assets: [
    { symbol: 'BTC', name: 'Bitcoin' },
    { symbol: 'SOL', name: 'Solana' },
    { symbol: 'DOGE', name: 'Dogecoin' },
  ],
  findMarkets: async () => [],
  findAddresses: async () => [],
  knows: async () => ({ isTrader: false, isWallet: false }),
}

/** A part of a question: ways to say it, and the slots that it means. */
type Part = { words: readonly string[]; slots: object }
type Form = { intent: string; parts: readonly (readonly Part[])[]; slots?: object }

const says = (words: string, slots: object = {}): Part => ({ words: words.split('|'), slots })
const lead = says('|show me |give me |please list |hey, what are |i want to see ')
const { T1 = '', W2 = '', W6 = '' } = entities

const week = says('7d|this week|over the last 7 days|past week|weekly|in the past seven days|last wk', { range: '7d' })
const month = says('30d|this month|over the last 30 days|past month|monthly', { range: '30d' })
const quarter = says('90d|this quarter|over the last 90 days|past three months|past 3 months', { range: '90d' })
const always = says('all time|ever|lifetime|of all time', { range: 'all' })
const unsaid = says('')
const coins = says('coins|tokens|assets')
const asset = [
  says('bitcoin|btc|BTC|$BTC', { assets: ['BTC'] }),
  says('solana|sol|$SOL', { assets: ['SOL'] }),
  says('dogecoin|doge|dogecion', { assets: ['DOGE'] }),
]
const top = [says('top', {}), says('top 3', { limit: 3 }), says('best seven|top seven', { limit: 7 })]
const people = says('traders|bettors|gamblers|punters')
const onChain = says('wallets|addresses|onchain wallets')
const chains = [
  says('on base', { chain: 'base' }),
  says('on solana|on sol', { chain: 'solana' }),
  says('on ethereum|on eth', { chain: 'ethereum' }),
  unsaid,
]

const forms: readonly Form[] = [
  {
    intent: 'signals',
    parts: [[says('mindshare of|sentiment for|buzz around|attention on|hype about')], asset, [week, month, unsaid]],
  },
  {
    intent: 'signals',
    slots: { sort: 'gainers' },
    parts: [
      [lead],
      [coins],
      [says('gaining mindshare|rising in attention|picking up buzz|with growing hype')],
      [week, month, unsaid],
    ],
  },
  {
    intent: 'signals',
    slots: { sort: 'losers' },
    parts: [
      [lead],
      [coins],
      [says('losing mindshare|falling in attention|losing buzz|with shrinking hype')],
      [week, month, unsaid],
    ],
  },
  {
    intent: 'signals',
    parts: [[lead], top, [coins], [says('by mindshare|by attention|by share of voice')], [week, month, unsaid]],
  },
  {
    intent: 'pm_traders',
    parts: [
      [lead],
      top,
      [people],
      [
        says('by clv', { sort: 'clv' }),
        says('by pnl|by profit', { sort: 'pnl' }),
        says('by win rate|by hit rate|by wr', { sort: 'win_rate' }),
      ],
      [month, quarter, always, unsaid],
    ],
  },
  {
    intent: 'discover',
    parts: [
      [lead],
      top,
      [onChain],
      chains,
      [
        says('by pnl|by profit', { sort: 'pnl' }),
        says('by volume|by vol|by turnover', { sort: 'volume' }),
        says('by win rate|by wr', { sort: 'win_rate' }),
      ],
      [week, month, quarter, unsaid],
    ],
  },
  {
    intent: 'pm_markets',
    parts: [
      [lead],
      top,
      [
        says('kalshi markets', { platform: 'kalshi' }),
        says('polymarket markets|poly mkts', { platform: 'polymarket' }),
        says('prediction markets|markets'),
      ],
      [says('by volume|by vol|')],
    ],
  },
  {
    intent: 'feed',
    parts: [
      [lead],
      [
        says('signals'),
        says('social signals', { type: 'social' }),
        says('wallet signals', { type: 'wallet' }),
        says('market signals', { type: 'market' }),
      ],
      [
        says('since yesterday', { since: '2026-02-28T00:00:00.000Z' }),
        says('in the last 3 hours|past 3h|of the last 3 hrs', { since: '2026-03-01T09:00:00.000Z' }),
        says('since 2026-02-27', { since: '2026-02-27T00:00:00.000Z' }),
        unsaid,
      ],
    ],
  },
  {
    intent: 'pm_wallet',
    slots: { address: T1 },
    parts: [
      [says('clv of|polymarket record of|betting profile of|prediction pnl of')],
      [says(T1)],
      [month, quarter, always, unsaid],
    ],
  },
  {
    intent: 'wallet',
    slots: { address: W6 },
    parts: [[says('holdings of|portfolio of|what does|wallet profile of')], [says(W6)], [says('hold?|')]],
  },
  {
    intent: 'why_wallet',
    slots: { address: W2 },
    parts: [[says('which tokens are behind the pnl of wallet|break down by token the profit of wallet')], [says(W2)]],
  },
  // Windows, venues and sums that no table has.
  {
    intent: 'clarify',
    slots: { missing: 'range' },
    parts: [
      [says('clv of|betting pnl of')],
      [says(T1)],
      [says('this week|over the last 14 days|yesterday|in the past six months')],
    ],
  },
  {
    intent: 'clarify',
    slots: { missing: 'range' },
    parts: [
      [says('realized pnl of wallet|onchain profit of')],
      [says(W2)],
      [says('this week|over the last 90 days|yesterday|past year')],
    ],
  },
  {
    intent: 'clarify',
    slots: { missing: 'range' },
    parts: [
      [says('mindshare of|sentiment for')],
      [says('btc|solana')],
      [says('over 90 days|this year|past hour|last two weeks')],
    ],
  },
  {
    intent: 'clarify',
    slots: { missing: 'range' },
    parts: [
      [says('polymarket volume|top kalshi markets by volume')],
      [says('last week|over the past month|past 7 days|yesterday')],
    ],
  },
  {
    intent: 'refuse',
    slots: { reason: 'unsupported' },
    parts: [
      [says('average|median|mean')],
      [says('win rate|pnl|clv')],
      [says('of traders|of all bettors|of polymarket traders')],
    ],
  },
  {
    intent: 'refuse',
    slots: { reason: 'unsupported' },
    parts: [[says('how many')], [says('traders|wallets|coins|markets')], [says('are there|are tracked|exist')]],
  },
  {
    intent: 'refuse',
    slots: { reason: 'unsupported' },
    parts: [[says('best|top|most profitable')], [people], [says('on kalshi|of kalshi')]],
  },
]

const questionOf = (form: Form) =>
  fc
    .tuple(
      ...form.parts.map((parts) =>
        fc
          .constantFrom(...parts)
          .chain((part) => fc.constantFrom(...part.words).map((words) => ({ words, slots: part.slots }))),
      ),
    )
    .chain((parts) => {
      const text = parts
        .map(({ words }) => words.trim())
        .filter((words) => words !== '')
        .join(' ')
      const slots = Object.assign({}, form.slots, ...parts.map((part) => part.slots))
      return fc.constantFrom(text, `${text}?`, `${text} pls`, `${text}, thanks`).map((query) => ({ query, slots }))
    })

test.each(
  forms.map((form): [string, Form] => [
    `${form.intent} ${form.parts.map(([first]) => first?.words[0]).join(' ')}`,
    form,
  ]),
)('every way to say `%s` has one plan', async (_, form) => {
  await fc.assert(
    fc.asyncProperty(questionOf(form), async ({ query, slots }) => {
      const { plan } = await route(await readQuestion(query, { lexicon, now_ms: askedAt_ms }), intents)
      expect(plan, query).toEqual(planOf(intents, form.intent, slots))
    }),
    { numRuns: sized(60, 200, 600) },
  )
})

import { expect, onTestFinished, test } from 'vitest'

import { createKey } from '#accounts/keys.ts'
import { firstScreen } from '#bin/demo/first_screen.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { newMartsDir, publish, type SnapshotRows } from '#test/api/fixture.ts'

const trader = `0x6be810fa7f6ac3f90b8f45c39d595d8e30f4c8cb`
const wallet = '0xc059ae3a39c43bfcb1d4e52578659196eab636a2'
const summary =
  `A proven trader or tagged wallet made a trade of unusual size. ${trader} bought 50,738 USD of Yes at 0.522 in ` +
  '"Will Dr. Who close above $200?". Score 64: chance of about 1 in 100,000.'

const rows: SnapshotRows = {
  feed: [
    { id: 'sig_2', at: '2026-03-01 11:59:00', type: 'wallet', summary },
    { id: 'sig_1', at: '2026-03-01 11:00:00', type: 'market', summary: 'Words of a later version.' },
  ],
  markets: [{ id: 'polymarket:1', question: `Will it ${'really '.repeat(9)}happen?`, yes: '0.885', volume: '65506.4' }],
  traders: [{ wallet: trader, range: '90d', pnl: '-1407.2', win_rate: '0.746' }],
  discovered: [{ address: wallet, chain: 'polygon', pnl: '1001.57', volume: '118898.44', win_rate: '0.833' }],
  momentum: [{ symbol: 'BTC', pct: '29.516', delta: '-1.189', sentiment: 'neutral' }],
}

async function open(snapshot: SnapshotRows) {
  const { home, dir, remove } = await newMartsDir()
  await publish(dir, 'first', snapshot)
  const service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' }), true)
  onTestFinished(async () => {
    await service.close()
    await remove()
  })
  return { service, key: await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1_000 }) }
}

test('the first screen shows the first rows of each answer below the address that gives them', async () => {
  const { service, key } = await open(rows)
  const screen = await firstScreen(service, key)
  expect(screen.replaceAll(service.url, 'URL').split('\n')).toEqual([
    'Signals             URL/v1/feed?limit=4',
    '  wallet  0x6be8…c8cb bought 50,738 USD of Yes at 0.522 in "Will Dr. Who close above $200?".',
    '  market  Words of a later version.',
    'Markets by volume   URL/v1/pm-markets?limit=3',
    `  yes 0.885    $65,506 in 24 h  polymarket  Will it really really really really really really r…`,
    'Traders by skill    URL/v1/pm-traders?range=90d&limit=3',
    '  0x6BE8…c8Cb  generalist        closing line +0.00   75 % won    -$1,407',
    'Wallets by profit   URL/v1/discover?limit=3',
    '  0xc059…36A2  polygon              $1,002 of  $118,898    83 % won',
    'Mindshare           URL/v1/signals?limit=3',
    '  BTC     29.5 % of all attention, -1.19 in 30 days, neutral',
    '',
  ])
  expect(Math.max(...screen.split('\n').map(({ length }) => length))).toBeLessThan(105)
})

test('the first screen says where an answer has no rows', async () => {
  const { service, key } = await open({})
  const lines = (await firstScreen(service, key)).split('\n')
  expect(lines.filter((line) => line === '  none')).toHaveLength(5)
})

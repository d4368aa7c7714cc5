import { expect, test } from 'vitest'

import { htmlOf } from '#api/messaging/telegram.ts'
import { describeStores } from '#test/accounts/stores.ts'
import { sized } from '#test/run/sized.ts'

import { complaintsOf } from './complaints.ts'
import { runStorm } from './storm.ts'

const size = sized(
  { n_people: 4, n_alerts: 5, n_rounds: 1, n_kills: 1 },
  { n_people: 8, n_alerts: 5, n_rounds: 2, n_kills: 2 },
  { n_people: 20, n_alerts: 10, n_rounds: 2, n_kills: 2 },
)

describeStores(({ place, name }) => {
  // Two nodes share a PostgreSQL database: one sends, and the other takes over.
  const n_nodes = name === 'PostgreSQL' ? 2 : 1

  test('each firing arrives in its own chat, in order, whatever fails and whichever sender is killed', async () => {
    const aftermath = await runStorm({ place: await place(), n_nodes, seed: 7, ...size })
    expect(complaintsOf(aftermath)).toEqual([])
    const { attempts } = aftermath
    expect(attempts.filter(({ is_killed }) => is_killed)).toHaveLength(size.n_kills)
    const n_failed = attempts.filter(({ outcome }) => outcome !== 'delivered').length
    expect(n_failed).toBeGreaterThan(attempts.length / 4)
  })
})

test('the check of a storm sees a message that is lost, repeated, out of order, or of another person', () => {
  const text = (n: number) => `market: m\nAlert: price_above 0.5${n}\nNow: price 0.71`
  const firing = (n: number) => ({ alert_id: `a${n}`, cause: 'x', account_id: 'ann', position: n, text: text(n) })
  const sent = (n: number, outcome = 'delivered') => ({ chat_id: 1, text: htmlOf(text(n)), outcome, is_killed: false })
  const after = (attempts: ReturnType<typeof sent>[]) =>
    complaintsOf({
      attempts,
      firings: [firing(1), firing(2)],
      rebuilt: [[], []],
      people: new Map([['ann', { chat_id: 1, thresholds: ['0.51', '0.52'] }]]),
      prices: ['0.71'],
      summaries: [],
    })
  expect(after([sent(1, 'cut'), sent(1, 'lost'), sent(1), sent(2)])).toEqual([])
  for (const wrong of [[sent(1)], [sent(1), sent(1), sent(2)], [sent(2), sent(1)], [sent(1), sent(2), sent(3)]])
    expect(after(wrong)).toHaveLength(1)
})

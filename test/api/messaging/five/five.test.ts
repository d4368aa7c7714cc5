import { expect, test } from 'vitest'

import { describeStores } from '#test/accounts/stores.ts'
import { sized } from '#test/run/sized.ts'

import { complaintsOfFive, runFive, type Sent } from './five.ts'

const size = sized(
  { n_chats: 2, n_alerts: 3, n_kills: 1 },
  { n_chats: 2, n_alerts: 6, n_kills: 2 },
  { n_chats: 20, n_alerts: 20, n_kills: 10 },
)

describeStores(({ place }) => {
  test('each alert arrives in its messenger, and none again after its answer, whatever fails and is killed', async () => {
    const outcome = await runFive({ place: await place(), seed: 11, ...size })
    expect(complaintsOfFive(outcome)).toEqual([])
    const { sent } = outcome
    expect(outcome.underWay).toHaveLength(size.n_kills)
    expect(sent.filter(({ outcome: of }) => of !== 'delivered').length).toBeGreaterThan(sent.length / 4)
    expect(new Set(sent.map(({ messenger }) => messenger)).size).toBe(5)
  })
})

test('the check sees a message that is lost, of another, or repeated after its answer', () => {
  const call = (alert: string, outcome = 'delivered', is_killed = false): Sent => ({
    messenger: 'slack',
    alert,
    outcome,
    is_killed,
  })
  const of = (...sent: Sent[]) =>
    complaintsOfFive({ sent, alerts: new Map([['slack', ['a', 'b']]]), underWay: [2], n_dead: 0 })
  expect(of(call('a', 'cut'), call('a', 'lost'), call('a', 'delivered', true), call('a'), call('b'))).toEqual([])
  expect(of(call('a'))).toEqual(['slack: b did not arrive'])
  expect(of(call('a'), call('b'), call('a'))).toEqual(['slack: a was repeated after its acknowledgement'])
  expect(of(call('a'), call('b'), call('c'))).toEqual(['slack: c is unknown'])
})

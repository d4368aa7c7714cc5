import { expect, onTestFinished, test } from 'vitest'

import { connectTelegram } from '#api/messaging/telegram.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import type { Attempt } from '#sim/telegram/chats.ts'
import type { Disturbance } from '#sim/telegram/faults.ts'
import { machineClock } from '#time.ts'

const token = '1:the-token'

/** A Bot API whose calls of `sendMessage` go wrong in turn, and a person who has pressed Start. */
async function started(...disturbances: (Disturbance | null)[]) {
  const api = await serveBotApi({
    token,
    username: 'a_bot',
    clock: machineClock,
    disturb: (method) => (method === 'sendMessage' ? (disturbances.shift() ?? null) : null),
  })
  onTestFinished(() => api.close())
  const attempts: (Attempt & { caller: string })[] = []
  api.onAttempt((attempt, caller) => void attempts.push({ ...attempt, caller }))
  const ann = api.personOf('ann_b')
  api.say(ann, '/start')
  const ending = new AbortController()
  const connection = connectTelegram({ token, apiRoot: `${api.url}/node-1`, linkRoot: '' })(ending.signal)
  const send = (text: string) =>
    connection.send(String(ann.id), text).then(
      () => 'sent',
      (error: unknown) => String(error),
    )
  const page = async (path = '/sim/telegram', init?: RequestInit) => (await fetch(`${api.url}${path}`, init)).text()
  return { api, ann, attempts, ending, send, page }
}

test('a call is cut off without an effect, loses its answer after it, or is refused; each names its caller', async () => {
  const tooMany: Disturbance = { kind: 'rejected', fault: { status: 429, description: 'Too Many', retry_after: 3 } }
  const { api, attempts, send } = await started({ kind: 'cut' }, { kind: 'lost' }, tooMany)
  for (const [text, seen] of [
    ['a', /no response/],
    ['b', /no response/],
    ['c', /429 Too Many/],
    ['d', /^sent$/],
  ] as const)
    expect(await send(text)).toMatch(seen)
  expect(api.sent().map(({ text }) => text)).toEqual(['b', 'd'])
  expect(attempts.map(({ text, outcome, caller }) => [text, outcome, caller])).toEqual([
    ['a', 'cut', 'node-1'],
    ['b', 'lost', 'node-1'],
    ['c', '429 Too Many', 'node-1'],
    ['d', 'delivered', 'node-1'],
  ])
})

test('a call without an answer ends with the sender, and has no effect', async () => {
  const { api, ending, send } = await started({ kind: 'unanswered' })
  const sending = send('a')
  api.onAttempt(() => ending.abort())
  expect(await sending).toMatch(/no response|abort/i)
  expect(api.sent()).toEqual([])
})

test('the page shows each call with its outcome as text, and blocks the bot as a person', async () => {
  const { ann, send, page } = await started({ kind: 'lost' })
  await send('market: x\nA <script> & "more"')
  const shown = await page()
  expect(shown).toContain('@ann_b')
  expect(shown).toContain('the answer was lost')
  expect(shown).toContain('market: x\nA &lt;script> &amp; &quot;more&quot;')
  expect(shown).not.toContain('<script>')
  const form = { method: 'POST', body: new URLSearchParams({ username: ann.username ?? '' }) }
  expect(await page('/sim/telegram/block', form)).toContain('Messages of @a_bot')
  expect(await send('b')).toMatch(/403/)
  expect(await page()).toContain('403 Forbidden: bot was blocked by the user')
})

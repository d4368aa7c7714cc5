import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { serveBotApi } from '#sim/telegram/bot_api.ts'
import { until } from '#test/run/eventually.ts'
import { machineClock } from '#time.ts'

const token = '1:the-token'
const answer = z.object({
  ok: z.boolean(),
  result: z.unknown().optional(),
  error_code: z.number().optional(),
  description: z.string().optional(),
  parameters: z.object({ retry_after: z.number() }).optional(),
})
const updates = z.array(z.object({ update_id: z.number() }))

async function started() {
  const api = await serveBotApi({ token, username: 'a_bot', clock: machineClock })
  onTestFinished(() => api.close())
  const call = async (method: string, body: object = {}, key = token) => {
    const response = await fetch(`${api.url}/bot${key}/${method}`, { method: 'POST', body: JSON.stringify(body) })
    return { status: response.status, ...answer.parse(await response.json()) }
  }
  const ids = async (body: object) => updates.parse((await call('getUpdates', body)).result).map((one) => one.update_id)
  return { api, call, ids, ann: api.personOf('ann_b') }
}

test('updates stay until an offset confirms them, and a long poll ends with the next one', async () => {
  const { api, ids, ann } = await started()
  for (const text of ['a', 'b', 'c']) api.say(ann, text)
  expect(await ids({ timeout: 0 })).toEqual([1, 2, 3])
  expect(await ids({ timeout: 0, limit: 2 })).toEqual([1, 2])
  expect(await ids({ timeout: 0, offset: 3 })).toEqual([3])
  expect(await ids({ timeout: 0 })).toEqual([3])
  const next = ids({ timeout: 600, offset: 4 })
  await until(() => api.calls('getUpdates') === 5)
  api.say(ann, 'd')
  expect(await next).toEqual([4])
  expect(await ids({ timeout: 1, offset: 5 })).toEqual([])
})

test('a second poll ends the first one with a 409', async () => {
  const { api, call } = await started()
  const first = call('getUpdates', { timeout: 600 })
  await until(() => api.calls('getUpdates') === 1)
  const second = await call('getUpdates', { timeout: 0 })
  expect([second.status, (await first).status]).toEqual([200, 409])
  expect((await first).description).toMatch(/^Conflict: terminated by other getUpdates request/)
})

test('a webhook and a poll exclude each other', async () => {
  const { api, call } = await started()
  api.setWebhook()
  expect((await call('getUpdates')).error_code).toBe(409)
  expect((await call('deleteWebhook')).ok).toBe(true)
  expect((await call('getUpdates')).ok).toBe(true)
})

test.each([
  ['another token', 401, 'Unauthorized', {}, '2:x'],
  ['a chat that never wrote', 400, 'Bad Request: chat not found', { chat_id: 5, text: 'x' }, token],
  ['a name as chat', 400, 'Bad Request: chat not found', { chat_id: '@ann_b', text: 'x' }, token],
  ['an empty text', 400, 'Bad Request: message text is empty', { chat_id: 1_000, text: ' ' }, token],
  ['a long text', 400, 'Bad Request: message is too long', { chat_id: 1_000, text: 'x'.repeat(4_097) }, token],
  [
    'broken HTML',
    400,
    "Bad Request: can't parse entities",
    { chat_id: 1_000, text: 'a < b', parse_mode: 'HTML' },
    token,
  ],
])('a message with %s is a %i', async (_name, status, description, body, key) => {
  const { api, call, ann } = await started()
  api.say(ann, 'hello')
  expect(await call('sendMessage', body, key)).toMatchObject({ status, error_code: status, description, ok: false })
  expect(api.sent()).toEqual([])
})

test('a blocked bot gets a 403, and an unknown method a 404', async () => {
  const { api, call, ann } = await started()
  api.say(ann, 'hello')
  api.block(ann)
  const refused = await call('sendMessage', { chat_id: ann.id, text: 'x' })
  expect([refused.status, refused.description]).toEqual([403, 'Forbidden: bot was blocked by the user'])
  expect((await call('constructor')).status).toBe(404)
  api.say(ann, 'hello again')
  expect((await call('sendMessage', { chat_id: ann.id, text: '<b>x</b> &amp; y', parse_mode: 'HTML' })).ok).toBe(true)
  expect(api.sent()).toEqual([{ chat_id: ann.id, text: '<b>x</b> &amp; y' }])
})

test('planned faults answer the next calls in turn', async () => {
  const { api, call } = await started()
  api.fail(
    'getMe',
    { status: 429, description: 'Too Many Requests', retry_after: 7 },
    { status: 500, description: 'x' },
  )
  expect(await call('getMe')).toMatchObject({ status: 429, parameters: { retry_after: 7 } })
  expect((await call('getMe')).status).toBe(500)
  expect((await call('getMe')).result).toMatchObject({ is_bot: true, username: 'a_bot' })
})

test('the page of a deep link presses Start, and shows the answer as text', async () => {
  const { api, call, ids, ann } = await started()
  const page = await (await fetch(`${api.url}/a_bot?start=x"y`)).text()
  expect(page).toContain('value="x&quot;y"')
  const pressed = fetch(`${api.url}/sim/telegram`, {
    method: 'POST',
    body: new URLSearchParams({ username: '@ann_b', start: 'abc' }),
  })
  expect(await ids({ timeout: 600 })).toEqual([1])
  await call('sendMessage', { chat_id: ann.id, text: '1 < 2' })
  expect(await (await pressed).text()).toContain('<li>1 &lt; 2</li>')
  expect((await fetch(`${api.url}/other`)).status).toBe(404)
})

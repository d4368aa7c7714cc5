import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { expect, onTestFinished, test } from 'vitest'

import { eventually, until } from '#test/run/eventually.ts'

import { botWorld, token } from './bot_world.ts'

const linked = /^This chat is now linked/
const of = (name: string, linked_: boolean) => ({ platform: 'telegram', handle: name, linked: linked_ })

test('Start with a link links the private chat, and both sides show it; /stop unlinks it', async () => {
  const world = await botWorld()
  const node = world.start()
  const ann = world.api.personOf('ann_b')
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends your alerts to this chat once it is linked/)
  expect(node.linkFor('x')).toBe('https://t.me/tapeline_bot?start=x')
  expect(await world.ask(ann, `/start ${await world.linkFor('Ann_B')}`)).toMatch(linked)
  expect(await world.messaging()).toEqual(of('ann_b', true))
  expect(await world.ask(ann, '/start')).toMatch(/^This chat is linked/)
  expect(await world.ask(ann, 'hello <b>& all')).toMatch(/^This chat is linked/)
  expect(await world.ask(ann, '/stop')).toMatch(/^This chat is no longer linked/)
  expect(await world.ask(ann, '/stop')).toMatch(/^This chat is not linked/)
  expect(await world.messaging()).toEqual(of('ann_b', false))
})

test('a used, expired or foreign link links nothing, and the answer names the problem but not the handle', async () => {
  const world = await botWorld()
  world.start()
  const [ann, eve] = [world.api.personOf('ann_b'), world.api.personOf('eve_b')]
  const link = await world.linkFor('ann_b')
  expect(await world.ask(eve, `/start ${link}`)).toMatch(/another Telegram user name; yours is @eve_b/)
  expect(await world.ask({ id: 5 }, `/start ${link}`)).toMatch(/you have none/)
  expect(world.api.sent().map(({ text }) => text)).not.toContainEqual(expect.stringContaining('ann_b'))
  expect(await world.ask(ann, `/start ${link}`)).toMatch(linked)
  expect(await world.ask(ann, `/start ${link}`)).toMatch(/^This link was used.*This chat is linked/)
  expect(await world.ask(eve, `/start ${link}`)).toMatch(/^This link was used/)
  const late = await world.linkFor('eve_b')
  world.clock.ahead += 600_000_000
  expect(await world.ask(eve, `/start ${late}`)).toMatch(/^This link was used.* older than ten minutes/)
  expect(await world.messaging()).toEqual(of('ann_b', true))
})

test('in a group a link links nothing, and still works in the private chat', async () => {
  const world = await botWorld()
  world.start()
  const ann = world.api.personOf('ann_b')
  const link = await world.linkFor('ann_b')
  const group = { id: -100 }
  expect(await world.ask(ann, `/start ${link}`, group)).toMatch(/private chats only/)
  expect(await world.ask(ann, `/start@tapeline_bot ${link}`, group)).toMatch(/private chats only/)
  world.api.say(ann, 'nothing for the bot', group)
  expect(await world.messaging()).toEqual(of('ann_b', false))
  expect(await world.ask(ann, `/start ${link}`)).toMatch(linked)
  expect(world.received(group)).toHaveLength(2)
})

test('a person who blocks the bot is unlinked, and delays no other person', async () => {
  const world = await botWorld()
  const [ann, eve] = [world.api.personOf('ann_b'), world.api.personOf('eve_b')]
  world.api.say(ann, `/start ${await world.linkFor('ann_b')}`)
  world.api.block(ann)
  world.start()
  expect(await world.ask(eve, '/start')).toMatch(/^Tapeline sends/)
  expect(world.received(ann)).toEqual([])
  expect(await world.messaging()).toEqual(of('ann_b', false))
})

test('an answer that Telegram delays is sent later; one that it rejects is dropped', async () => {
  const world = await botWorld()
  world.start()
  const ann = world.api.personOf('ann_b')
  world.api.fail('sendMessage', { status: 429, description: 'Too Many Requests: retry after 1', retry_after: 1 })
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends/)
  world.api.fail('sendMessage', { status: 400, description: 'Bad Request: something' })
  world.api.say(ann, '/start')
  expect(await world.ask(ann, '/stop')).toMatch(/^This chat is not linked/)
  expect(world.received(ann)).toHaveLength(2)
  expect(world.lines.join()).toContain('sendMessage: 400 Bad Request: something; the answer is dropped')
})

test('an answer that Telegram delays for long is dropped, and delays no other person', async () => {
  const world = await botWorld()
  world.start()
  const [ann, eve] = [world.api.personOf('ann_b'), world.api.personOf('eve_b')]
  world.api.fail('sendMessage', { status: 429, description: 'Too Many Requests: retry after 3600', retry_after: 3_600 })
  world.api.say(ann, '/start')
  expect(await world.ask(eve, '/start')).toMatch(/^Tapeline sends/)
  expect(world.received(ann)).toEqual([])
})

test('a poll that may be repeated after 0 seconds waits as usual', async () => {
  const world = await botWorld()
  world.api.fail('getUpdates', { status: 429, description: 'Too Many Requests', retry_after: 0 })
  world.start({ pace: { poll_s: 1, term_s: 60, retry_ms: 600_000 } })
  await eventually(() => expect(world.lines.join()).toContain('getUpdates: 429'))
  await sleep(100)
  expect(world.api.calls('getUpdates')).toBe(1)
})

test('a flood of one chat gets 20 answers a minute, and others get theirs', async () => {
  const world = await botWorld()
  const [eve, ann] = [world.api.personOf('eve_b'), world.api.personOf('ann_b')]
  for (let n = 0; n < 60; n++) world.api.say(eve, `/start ${n}`)
  world.start()
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends/)
  // The flood may fall into two minutes.
  expect(world.received(eve).length).toBeGreaterThanOrEqual(20)
  expect(world.received(eve).length).toBeLessThanOrEqual(40)
})

test('one node polls; when it dies, another takes over and gets the message that was not handled', async () => {
  const world = await botWorld()
  const first = world.start()
  const second = world.start()
  const ann = world.api.personOf('ann_b')
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends/)
  const leases = await world.accounts.selectFrom('leases').where('name', '=', 'telegram').selectAll().execute()
  expect(leases).toHaveLength(1)
  expect(world.lines.join()).not.toContain('Conflict')
  await first.close()
  expect(await world.ask(ann, `/start ${await world.linkFor('ann_b')}`)).toMatch(linked)
  expect(await world.ask(ann, '/stop')).toMatch(/no longer linked/)
  expect(world.received(ann)).toHaveLength(3)
  await second.close()
  expect(await world.accounts.selectFrom('leases').selectAll().execute()).toEqual([])
})

test('the lease of a dead node ends with its term', async () => {
  const world = await botWorld()
  await world.accounts
    .insertInto('leases')
    .values({ name: 'telegram', owner: 'a dead node', expires_at: Date.now() * 1_000 + 60_000_000 })
    .execute()
  const node = world.start()
  await until(() => node.username() !== null)
  expect(world.api.calls('getUpdates')).toBe(0)
  world.clock.ahead += 60_000_000
  expect(await world.ask(world.api.personOf('ann_b'), '/start')).toMatch(/^Tapeline sends/)
})

test('a bot goes on after a webhook, a foreign poller and faults of the Bot API', async () => {
  const world = await botWorld()
  world.api.setWebhook()
  world.api.fail('getMe', { status: 502, description: 'Bad Gateway' })
  world.start()
  const ann = world.api.personOf('ann_b')
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends/)
  // The bot may be between two polls.
  await eventually(async () => {
    const poll = await fetch(`${world.api.url}/bot${token}/getUpdates`, { method: 'POST', body: '{"timeout":0}' })
    expect(poll.status).toBe(200)
    expect(world.lines.join()).toContain('409 Conflict: terminated by other getUpdates request')
  })
  world.api.fail('getUpdates', { status: 429, description: 'Too Many Requests', retry_after: 1 })
  expect(await world.ask(ann, '/start')).toMatch(/^Tapeline sends/)
})

test('an update that always fails is skipped', async () => {
  const world = await botWorld()
  const ann = world.api.personOf('ann_b')
  await world.accounts.schema.alterTable('messaging').renameTo('gone').execute()
  world.api.say(ann, '/start')
  world.start()
  await eventually(() => expect(world.lines.join()).toContain('update skipped after 3 failures'))
  await world.accounts.schema.alterTable('gone').renameTo('messaging').execute()
  expect(await world.ask(ann, '/stop')).toMatch(/not linked/)
  expect(world.received(ann)).toHaveLength(1)
})

test('the token of the bot reaches no log and no file, whatever the Bot API does', async () => {
  const world = await botWorld()
  world.start({ apiRoot: 'http://127.0.0.1:1' })
  const echo = createServer((request, response) => {
    const body = JSON.stringify({ ok: false, error_code: 500, description: `no route ${request.url}` })
    response.end(request.url?.endsWith('/getMe') ? `<html>${request.url}` : body)
  })
  await new Promise<void>((resolve) => void echo.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void echo.close())
  world.start({ apiRoot: `http://127.0.0.1:${(echo.address() as AddressInfo).port}` })
  world.start({ token: `${token}x` })
  await eventually(() => {
    for (const fault of ['getMe: no response, ECONNREFUSED', '401 Unauthorized', 'invalid json'])
      expect(world.lines.join()).toContain(fault)
  })
  const written = world.lines.join()
  expect(written).not.toContain('Canary')
  const stored = await world.accounts.selectFrom('leases').selectAll().execute()
  expect(JSON.stringify(stored)).not.toContain('Canary')
})

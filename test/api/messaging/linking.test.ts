import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'

import { listEvents } from '#accounts/audit.ts'
import { startBot, type Bot } from '#api/messaging/bot.ts'
import { connectTelegram, telegram } from '#api/messaging/telegram.ts'
import { serveBotApi } from '#sim/telegram/bot_api.ts'
import { signedUp } from '#test/api/portal/browser.ts'
import { startService } from '#test/api/service.ts'
import { eventually, until } from '#test/run/eventually.ts'
import { machineClock } from '#time.ts'

import { token } from './bot_world.ts'

test('a signed-in person links their chat, and no token is in the log, the metrics, the audit or a file', async () => {
  const api = await serveBotApi({ token, username: 'a_bot', clock: machineClock })
  api.fail('getUpdates', { status: 500, description: `cannot serve /bot${token}/getUpdates` })
  const started: Bot[] = []
  const bot: Bot = {
    messenger: telegram,
    username: () => started[0]?.username() ?? null,
    linkFor: (given) => started[0]?.linkFor(given) ?? '',
    send: async () => undefined,
    close: async () => started[0]?.close(),
  }
  const service = await startService({ isEmpty: true, bots: [bot] })
  onTestFinished(async () => {
    await bot.close()
    await service.stop()
    await api.close()
  })
  const { accounts, clock, home, lines, registry, storeText } = service
  const parts = { accounts, now: () => clock.at, log: pino({}, { write: (line: string) => void lines.push(line) }) }
  const connect = connectTelegram({ token, apiRoot: api.url, linkRoot: api.url })
  started.push(startBot({ messenger: telegram, connect }, parts, { poll_s: 1, term_s: 60, retry_ms: 20 }))
  await until(() => bot.username() !== null)

  const ann = await signedUp(service, 'ann@example.com')
  const { json } = await ann.post('/api/messaging', { handle: 'ann_b' })
  const link = new URL(String(json['url'])).searchParams.get('start') ?? ''
  expect((await fetch(String(json['url']))).status).toBe(200)
  const form = new URLSearchParams({ username: 'ann_b', start: link })
  const page = await (await fetch(`${api.url}/sim/telegram`, { method: 'POST', body: form })).text()
  expect(page).toContain('This chat is now linked')
  expect((await ann.get('/api/settings')).json['messaging']).toMatchObject({ handle: '@ann_b', linked: true })

  await eventually(() => expect(lines.join()).toContain('cannot serve /bot<token>/getUpdates'))
  const written = [...lines, await registry.metrics(), JSON.stringify(await listEvents(accounts, { most: 1_000 }))]
  const files = (await readdir(home, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  for (const { parentPath, name } of files) written.push(await readFile(join(parentPath, name), 'latin1'))
  const stored = await storeText()
  expect(stored).toContain('ann@example.com')
  written.push(stored)
  for (const text of written) for (const secret of [token, link]) expect(text).not.toContain(secret)
})

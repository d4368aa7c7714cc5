import { expect, onTestFinished, test } from 'vitest'

import { signUpDemo } from '#bin/demo/demo_account.ts'
import { createDemoAlerts } from '#bin/demo/demo_alerts.ts'
import { startTelegram } from '#bin/demo/telegram.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { newMartsDir, publish } from '#test/api/fixture.ts'
import { until } from '#test/run/eventually.ts'

const signals = Array.from({ length: 6 }, (_, n) => ({ id: `sig_${n}`, at: `2026-03-01 11:${10 + n}:00` }))

test('the demo links a chat and creates alerts, and its page shows their messages and the calls that went wrong', async () => {
  const said: string[] = []
  const { home, dir, remove } = await newMartsDir()
  const rows = (yes: string) => ({ markets: [{ id: `polymarket:0x${'5f'.repeat(31)}`, yes }] })
  await publish(dir, 'first', rows('0.5'))
  const telegram = await startTelegram((text) => void said.push(text), 1)
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0' })
  const service = await openService({ ...config, messengers: [telegram.messenger] }, true)
  onTestFinished(async () => {
    await service.close()
    await telegram.close()
    await remove()
  })
  const person = await signUpDemo(service)
  expect(await createDemoAlerts(service, person, telegram)).toBe(5)
  const headers = { authorization: `Bearer ${person.key}` }
  const account = await (await fetch(`${service.url}/v1/account`, { headers })).json()
  expect(account).toMatchObject({ messaging: { handle: '@demo_person', linked: true } })

  await publish(dir, 'second', { ...rows('0.6'), feed: signals }, 'pulse')
  const page = async () => (await fetch(telegram.page)).text()
  await until(async () => (await page()).includes('Now: price 0.6'))
  // By the seed some of the first messages go wrong, and are sent in the end.
  await until(async () => /429 Too Many Requests|connection was cut|answer was lost/.test(await page()))
  expect(said.some((line) => line.startsWith('telegram, to @demo_person: '))).toBe(true)
})

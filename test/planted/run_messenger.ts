import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { z } from 'zod'

import { signUpDemo } from '#bin/demo/demo_account.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { newMartsDir, publish } from '#test/api/fixture.ts'

// Run in a copy of the tree that has the planted messenger `pager`: links the chat of a person, fires an alert, and
// prints what the person and the API saw, as JSON.
const chat = 'pager/ann/7f'
const pages: { n: number; pager: string; from: string; text: string }[] = []
const received: string[] = []
const sent = z.object({ pager: z.literal(chat), text: z.string() })
const pagers = createServer((request, response) => {
  const work = async (): Promise<unknown> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://pagers')
    if (pathname === '/name') return 'pager_bot'
    if (pathname === '/pages') {
      const waiting = () => pages.filter(({ n }) => n > Number(searchParams.get('after')))
      for (let tries = 0; tries < 20 && waiting().length === 0; tries++) await sleep(50)
      return waiting()
    }
    received.push(sent.parse(JSON.parse(await text(request))).text)
    return {}
  }
  work().then(
    (answer) => response.end(JSON.stringify(answer)),
    () => response.destroy(),
  )
})
await new Promise<void>((resolve) => pagers.listen(0, '127.0.0.1', resolve))
const pagerUrl = `http://127.0.0.1:${(pagers.address() as AddressInfo).port}`

/** Writes to the bot as the person of the chat, and returns its answer. */
async function say(words: string): Promise<string> {
  const n = received.length
  pages.push({ n: pages.length + 1, pager: chat, from: 'ann.b', text: words })
  return next(n)
}

async function next(n: number): Promise<string> {
  while (received[n] === undefined) await sleep(20)
  return received[n]
}

const settingFault = (): string => {
  try {
    parseConfig({ PAGER_URL: 'x' })
    return 'accepted'
  } catch (error) {
    return String(error instanceof Error ? error.message : error)
  }
}

const { home, dir, remove } = await newMartsDir()
const market = `polymarket:0x${'5f'.repeat(32)}`
await publish(dir, 'first', { markets: [{ id: market, yes: '0.5' }] })
const service = await openService(parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0', PAGER_URL: pagerUrl }), true)
const person = await signUpDemo(service)

const cookies: string[] = []
async function ask(path: string, body?: object) {
  const headers = {
    origin: service.url,
    'sec-fetch-site': 'same-origin',
    cookie: cookies.join('; '),
    ...(path.startsWith('/v1') ? { authorization: `Bearer ${person.key}` } : {}),
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  }
  const given = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
  const response = await fetch(`${service.url}${path}`, { headers, ...given })
  for (const line of response.headers.getSetCookie()) cookies.push(line.split(';')[0] ?? '')
  const json = z.unknown().parse(await response.json())
  return { status: response.status, json, fields: z.record(z.string(), z.unknown()).safeParse(json).data ?? {} }
}
const refusal = async (body: object) => {
  const { status, fields } = await ask('/api/messaging', body)
  return { status, message: String(fields['message']) }
}
const messagingNow = async () => (await ask('/v1/account')).fields['messaging']
const choices = z.object({
  messengers: z.array(z.object({ id: z.string(), name: z.string(), bot: z.string().nullable() })),
})
const offered = async () => choices.parse((await ask('/api/settings')).fields['messaging']).messengers

await ask('/api/auth/sign-in/email', { email: person.email, password: person.password })
while ((await offered())[0]?.bot === null) await sleep(20)
const shown = { setting: settingFault(), offered: await offered() }
const refused = await refusal({ handle: '77', messenger: 'pager' })
const unavailable = await refusal({ handle: 'ann_b' })
const { fields: link } = await ask('/api/messaging', { handle: 'ann.b', messenger: 'pager' })
const linking = await say(`/start ${new URL(String(link['url'])).hash.slice(1)}`)
const linked = await messagingNow()
const answered = await say('What do you do?')

await ask('/v1/alerts', { type: 'market', entity: market, threshold: { price_above: 0.6 } })
const n_before = received.length
await publish(dir, 'second', { markets: [{ id: market, yes: '0.9' }] }, 'pulse')
await next(n_before)
const stopped = await say('/stop')
const alert = received.slice(n_before, -1)
const { json: alerts } = await ask('/v1/alerts')
const [{ active: isActive }] = z.tuple([z.object({ active: z.boolean() })]).parse(alerts)
const after = { alert, stopped, unlinked: await messagingNow(), isActive }
process.stdout.write(JSON.stringify({ ...shown, refused, unavailable, linking, linked, answered, market, ...after }))
await service.close()
await remove()
pagers.closeAllConnections()
pagers.close()

import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { Webhook } from 'standardwebhooks'
import { expect, onTestFinished, test } from 'vitest'

import { connectWebhook } from '#api/messaging/webhook.ts'
import { machineClock, SECOND } from '#time.ts'

import { serveReceivers } from './receivers/receivers.ts'

type Verify = (secret: string, headers: Record<string, unknown>, body: string) => boolean

/** The verifier of the docs. */
async function verifierOfDocs(): Promise<{ verify: Verify; n_lines: number }> {
  const page = await readFile(join(import.meta.dirname, '../../../docs/messaging.md'), 'utf8')
  const code = /```js\n(import \{ createHmac[\s\S]*?)```/.exec(page)?.[1] ?? ''
  const { verify } = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as { verify: Verify }
  return { verify, n_lines: code.trim().split('\n').length }
}

test('the verifier of the docs and the library of the standard accept what is sent, and nothing that is changed', async () => {
  const receivers = await serveReceivers()
  const ending = new AbortController()
  onTestFinished(async () => {
    ending.abort()
    await receivers.close()
  })
  const { verify, n_lines } = await verifierOfDocs()
  expect(n_lines).toBeLessThanOrEqual(10)
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  const send = async (ahead_s: number) => {
    const connect = connectWebhook({ isPrivateAllowed: true, now: () => machineClock() + ahead_s * SECOND })
    const delivery = { id: 'd'.repeat(32), at: 0, alert: { id: 'a', type: 'market', entity: 'm' } }
    await connect(ending.signal).send(`${secret} ${receivers.url}/hooks/ann`, 'Título ☂\nText', delivery)
    const call = receivers.calls.at(-1)
    if (call === undefined) throw new Error('a call is expected')
    return { headers: call.headers, body: call.body }
  }
  const library = new Webhook(secret)
  const { headers, body } = await send(0)
  expect(verify(secret, headers, body)).toBe(true)
  expect(library.verify(body, headers as Record<string, string>)).toEqual({
    type: 'alert.fired',
    timestamp: '1970-01-01T00:00:00.000Z',
    alert: { id: 'a', type: 'market', entity: 'm' },
    title: 'Título ☂',
    text: 'Text',
  })
  expect(headers['webhook-id']).toBe(`msg_${'d'.repeat(32)}`)

  expect(verify(secret, headers, body.replace('Text', 'Test'))).toBe(false)
  expect(verify(`whsec_${Buffer.alloc(32, 8).toString('base64')}`, headers, body)).toBe(false)
  expect(verify(secret, { ...headers, 'webhook-timestamp': '1' }, body)).toBe(false)
  expect(verify(secret, { ...headers, 'webhook-id': 'msg_other' }, body)).toBe(false)
  expect(verify(secret, { ...headers, 'webhook-signature': 'v1,' }, body)).toBe(false)
  // A call that someone repeats later.
  for (const ahead_s of [-600, 600]) {
    const old = await send(ahead_s)
    expect(verify(secret, old.headers, old.body)).toBe(false)
  }
})

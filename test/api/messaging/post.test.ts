import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'

import { MessengerError } from '#api/messaging/messenger.ts'
import { openPost } from '#api/messaging/post.ts'
import { isPublicAddress } from '#api/messaging/public_address.ts'

const ending = new AbortController().signal

/** A server of the loopback interface, and the requests that it got. */
async function serve(respond: (request: IncomingMessage, response: ServerResponse) => void) {
  const requests: IncomingMessage[] = []
  const server = createServer((request, response) => {
    requests.push(request)
    respond(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { requests, port: (server.address() as AddressInfo).port }
}

const faultOf = (call: Promise<unknown>) =>
  call.then(
    () => null,
    (error: unknown) => (error instanceof MessengerError ? [error.kind, error.message] : ['no fault', String(error)]),
  )

test('an address of this machine, a private network or a link is refused, in each spelling, and nothing is sent', async () => {
  const { requests, port } = await serve((_request, response) => response.end())
  const post = openPost('webhook', { ending, isPrivateAllowed: false })
  const refused = ['refused', 'webhook: its address is private; expected a public address']
  for (const host of [
    '127.0.0.1',
    'localhost',
    '2130706433',
    '0x7f.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '0.0.0.0',
    '[::]',
  ])
    expect([host, await faultOf(post(`https://${host}:${port}/`, '{}'))]).toEqual([host, refused])
  for (const host of [
    '10.1.2.3',
    '172.20.0.1',
    '192.168.1.1',
    '169.254.169.254',
    '[fe80::1]',
    '[fd00::1]',
    '100.64.0.1',
  ])
    expect([host, await faultOf(post(`https://${host}/`, '{}'))]).toEqual([host, refused])
  expect(await faultOf(post('http://example.org/', '{}'))).toEqual([
    'refused',
    'webhook: its address is not secure; expected https',
  ])
  expect(requests).toEqual([])
})

test('a name is resolved once for a call, and each of its addresses is checked', async () => {
  const { requests, port } = await serve((_request, response) => response.end('ok'))
  const asked: string[] = []
  const resolveTo =
    (...addresses: string[]): NonNullable<Parameters<typeof openPost>[1]['resolve']> =>
    (name, answer) => {
      asked.push(name)
      answer(
        null,
        addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
      )
    }
  const guarded = openPost('webhook', {
    ending,
    isPrivateAllowed: false,
    resolve: resolveTo('10.0.0.1', '127.0.0.1', '::1'),
  })
  expect((await faultOf(guarded(`https://receiver.example:${port}/`, '{}')))?.[0]).toBe('refused')
  const open = openPost('webhook', { ending, isPrivateAllowed: true, resolve: resolveTo('127.0.0.1') })
  expect((await open(`http://receiver.example:${port}/a?b=1`, '{"n":1}')).status).toBe(200)
  expect(asked).toEqual(['receiver.example', 'receiver.example'])
  expect(requests.map(({ url, headers }) => [url, headers.host])).toEqual([['/a?b=1', `receiver.example:${port}`]])
  const unknown = openPost('webhook', {
    ending,
    isPrivateAllowed: false,
    resolve: (_name, answer) => answer(Object.assign(new Error('x'), { code: 'ENOTFOUND' }), []),
  })
  expect(await faultOf(unknown('https://receiver.example/', '{}'))).toEqual([
    'passing',
    'webhook: no answer, ENOTFOUND',
  ])
})

test('a redirect is an answer and is not followed, and a long answer is not read to its end', async () => {
  const { requests, port } = await serve((request, response) => {
    if (request.url === '/long') {
      response.writeHead(200)
      const write = (): void => void response.write('x'.repeat(8_192), () => setImmediate(write))
      return write()
    }
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  const post = openPost('webhook', { ending, isPrivateAllowed: true })
  expect((await post(`http://127.0.0.1:${port}/`, '{}')).status).toBe(302)
  expect((await post(`http://127.0.0.1:${port}/long`, '{}')).status).toBe(200)
  expect(requests).toHaveLength(2)
})

test('no address of a special network is public, and others are', () => {
  const byte = fc.nat(255)
  fc.assert(
    fc.property(byte, byte, byte, (a, b, c) => {
      for (const address of [`10.${a}.${b}.${c}`, `127.${a}.${b}.${c}`, `192.168.${a}.${b}`, `169.254.${a}.${b}`])
        expect(isPublicAddress(address)).toBe(false)
      expect(isPublicAddress(`172.${16 + (a % 16)}.${b}.${c}`)).toBe(false)
      expect(isPublicAddress(`::ffff:${a}.${b}.${c}.1`)).toBe(false)
      expect(isPublicAddress(`fd${a.toString(16).padStart(2, '0')}::${b}`)).toBe(false)
      expect(isPublicAddress(`8.${a}.${b}.${c}`)).toBe(true)
      expect(isPublicAddress(`2606:4700::${a.toString(16)}`)).toBe(true)
    }),
  )
  for (const text of ['', 'localhost', '224.0.0.1', '255.255.255.255', '64:ff9b::7f00:1', '2002:7f00:1::', 'ff02::1'])
    expect([text, isPublicAddress(text)]).toEqual([text, false])
})

import { connect } from 'node:net'

import { afterAll, beforeAll, expect, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

/** The statuses of the responses to raw bytes, until the server ends the connection. */
const statusesOf = async (bytes: string): Promise<string[]> => {
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.write(bytes)
  await closed
  return [...text.matchAll(/^HTTP\/1\.1 (\d{3})/gm)].map(([, status = '']) => status)
}

const read = (...lines: string[]) => ['GET /v1/pm-markets HTTP/1.1', ...lines, 'Connection: close', '', ''].join('\r\n')
const key = () => `Authorization: Bearer ${service.keys.pro}`

test.each([
  ['two Host headers', () => read('Host: a', 'Host: b', key())],
  ['a Host with a space and signs', () => read('Host: a b/<>', key())],
  ['no Host', () => read(key())],
  ['another version of the protocol', () => read('Host: a', key()).replace('HTTP/1.1', 'HTTP/2.0')],
  ['two Authorization headers', () => read('Host: a', key(), key())],
])('%s get a 400', async (_, bytes) => {
  expect(await statusesOf(bytes())).toEqual(['400'])
})

test.each(['', 'application/json;version=1', 'application/json; indent=4', 'text/csv;header=present'])(
  'an Accept of "%s" is met',
  async (accept) => {
    expect((await service.ask('/v1/pm-markets', { headers: { accept } })).status).toBe(200)
  },
)

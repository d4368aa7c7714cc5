import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

import fc from 'fast-check'
import { expect, test } from 'vitest'

import { isFromInside, openClientAddress } from '#api/http/client_address.ts'
import { startService } from '#test/api/service.ts'

const request = (peer: string, forwarded?: string): IncomingMessage => {
  const socket = new Socket()
  Object.defineProperty(socket, 'remoteAddress', { value: peer })
  const req = new IncomingMessage(socket)
  if (forwarded !== undefined) req.headers['x-forwarded-for'] = forwarded
  return req
}

const clientOf = openClientAddress(['10.0.0.0/8', '192.0.2.7', '2001:db8::/32'])

test.each([
  ['198.51.100.1', undefined, '198.51.100.1'],
  ['198.51.100.1', '203.0.113.9', '198.51.100.1'],
  ['10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['::ffff:10.1.2.3', '203.0.113.9', '203.0.113.9'],
  ['10.1.2.3', '203.0.113.9, 192.0.2.7', '203.0.113.9'],
  ['10.1.2.3', '1.1.1.1, 203.0.113.9, 10.9.9.9,192.0.2.7', '203.0.113.9'],
  ['2001:db8::1', '2001:db9::5', '2001:db9::5'],
  ['10.1.2.3', '[2001:db9::5]:8443', '2001:db9::5'],
  ['10.1.2.3', '203.0.113.9:51000', '203.0.113.9'],
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', 'unknown', '10.1.2.3'],
  ['10.1.2.3', '203.0.113.9, unknown, 10.2.2.2', '10.2.2.2'],
  ['10.1.2.3', '10.2.2.2', '10.2.2.2'],
  ['', '203.0.113.9', ''],
])('the client of peer %s with X-Forwarded-For %s is %s', (peer, forwarded, client) => {
  expect(clientOf(request(peer, forwarded))).toBe(client)
})

test.each([
  ['127.0.0.1', undefined, true],
  ['::1', undefined, true],
  ['::ffff:192.168.3.4', undefined, true],
  ['172.31.255.255', undefined, true],
  ['172.32.0.1', undefined, false],
  ['fd00::1', undefined, true],
  ['2a00::1', undefined, false],
  ['198.51.100.1', undefined, false],
  ['', undefined, false],
  ['127.0.0.1', '10.0.0.7', false],
  ['127.0.0.1', '', false],
  ['10.1.2.3', '192.168.0.9', true],
  ['10.1.2.3', '203.0.113.9', false],
  ['10.1.2.3', 'unknown', false],
])('a request of peer %s with X-Forwarded-For %s is from inside: %s', (peer, forwarded, isInside) => {
  expect(isFromInside(request(peer, forwarded), clientOf)).toBe(isInside)
})

test('a client cannot choose its address by items of its own', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()), { maxLength: 5 }), (items) => {
      const forged = [...items, '203.0.113.9'].join()
      expect(clientOf(request('10.1.2.3', forged))).toBe('203.0.113.9')
      expect(openClientAddress([])(request('10.1.2.3', forged))).toBe('10.1.2.3')
    }),
  )
})

test('behind a trusted proxy the invalid keys of one client refuse no other client', async () => {
  const service = await startService({ trustedProxies: ['127.0.0.1'] })
  try {
    const ask = (client: string) =>
      service.ask('/v1/pm-markets', {
        headers: { authorization: `Bearer tl_live_${'a'.repeat(32)}`, 'x-forwarded-for': client },
      })
    for (let n = 0; n < 100; n += 1) expect((await ask('203.0.113.9')).status).toBe(401)
    expect((await ask('203.0.113.9')).status).toBe(429)
    expect((await ask('203.0.113.10')).status).toBe(401)
  } finally {
    await service.stop()
  }
})

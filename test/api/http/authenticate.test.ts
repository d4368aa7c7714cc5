import { IncomingMessage } from 'node:http'
import { Socket } from 'node:net'

import { expect, test } from 'vitest'

import { openAuthenticate } from '#api/http/authenticate.ts'
import { contextFor } from '#api/http/request.ts'

const minute_us = 60_000_000

const requestWith = (key: string): IncomingMessage => {
  const request = new IncomingMessage(new Socket())
  request.url = '/v1/wallet'
  request.headers.authorization = `Bearer tl_${key}`
  return request
}

test('a clock that is set back ends the minute of a network with too many invalid keys', () => {
  let at = 1_000 * minute_us
  const authenticate = openAuthenticate({
    keyring: {
      find: (key) => (key.startsWith('tl_good') ? { account_id: 'a', tier: 'pro', key_id: key } : null),
      isStranger: () => true,
    },
    usage: { count: () => undefined },
    spend: () => ({ isOver: false, remaining: 1, reset_s: 1 }),
    now: () => at,
    clientAddress: () => '198.51.100.1',
    rateFactor: 1,
    publicReading: true,
    onGuesses: () => undefined,
  })
  const ask = (key: string) => {
    const request = requestWith(key)
    return authenticate(request, contextFor(request))
  }
  const askNew = () => {
    for (let n = 0; n <= 1_000; n += 1) void ask(`good${n}`)
  }
  for (let n = 0; n < 100; n += 1) expect(() => ask(`bad${n}`)).toThrow('invalid or revoked')
  expect(() => ask('bad')).toThrow('too many invalid keys')
  expect(askNew).toThrow('too many invalid keys')

  at -= 60 * minute_us
  expect(askNew).not.toThrow()
})

import { connect } from 'node:net'

import { expect, onTestFinished, test } from 'vitest'

import { limitTogether } from '#api/http/authenticate.ts'
import { plantedEndpoints } from '#test/api/planted.ts'
import { startService } from '#test/api/service.ts'
import { until } from '#test/run/eventually.ts'

test('one account may have a number of uncached reads at once; others are not affected', async () => {
  const asOneOf = limitTogether(2)
  let release = () => {}
  const held = new Promise<string>((resolve) => {
    release = () => resolve('read')
  })
  const running = [asOneOf('a', () => held), asOneOf('a', () => held)]
  await expect(asOneOf('a', () => held)).rejects.toMatchObject({ status: 503, headers: { 'Retry-After': '5' } })
  running.push(asOneOf('b', () => held))
  release()
  expect(await Promise.all(running)).toEqual(['read', 'read', 'read'])
  await expect(asOneOf('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await asOneOf('a', () => held)).toBe('read')
})

test('a factor lifts the rates of all tiers, and the headers show it', async () => {
  const service = await startService({ rateFactor: 1_000 })
  onTestFinished(() => service.stop())
  for (const [tier, limit] of [
    ['free', 60_000],
    ['pro', 600_000],
  ] as const) {
    const { headers } = await service.ask('/v1/nothing', { headers: { authorization: `Bearer ${service.keys[tier]}` } })
    expect(headers['ratelimit-policy']).toBe(`"${tier}";q=${limit};w=60`)
    expect(headers.ratelimit).toContain(`r=${limit - 1};`)
  }
})

test('of 200 simultaneous requests exactly the limit is admitted, and the window ends when it says', async () => {
  const service = await startService()
  onTestFinished(() => service.stop())
  service.clock.at += 23_000_000
  const ask = () => service.ask('/v1/account', { headers: { authorization: `Bearer ${service.keys.free}` } })
  const replies = await Promise.all(Array.from({ length: 200 }, ask))
  const refused = replies.filter(({ status }) => status === 429)
  expect([replies.filter(({ status }) => status === 200).length, refused.length]).toEqual([60, 140])
  expect(new Set(refused.map(({ headers }) => headers['retry-after']))).toEqual(new Set(['37']))
  service.clock.at += 37_000_000 - 1
  expect((await ask()).status).toBe(429)
  service.clock.at += 1
  expect((await ask()).headers['ratelimit']).toBe('"free";r=59;t=60')
})

test('a server that closes says so in an answer that it is still making', async () => {
  let [isHeld, release] = [false, () => {}]
  const wait = () =>
    new Promise<void>((resolve) => {
      isHeld = true
      release = resolve
    })
  const service = await startService({ endpoints: plantedEndpoints({ wait }) })
  const socket = connect({ port: service.port, host: '127.0.0.1' })
  const ended = new Promise((resolve) => socket.once('close', resolve))
  let text = ''
  socket.on('data', (chunk) => (text += chunk.toString()))
  const key = `Authorization: Bearer ${service.keys.pro}`
  socket.write(`GET /v1/alerts HTTP/1.1\r\nHost: localhost\r\n${key}\r\n\r\n`)
  await until(() => isHeld)
  const stopped = service.stop()
  release()
  await ended
  expect(text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(1)
  expect(text.match(/\r\nConnection: [a-z-]+/g)).toEqual(['\r\nConnection: close'])
  await stopped
})

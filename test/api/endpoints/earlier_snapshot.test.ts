import { expect, test } from 'vitest'

import { startService } from '#test/api/service.ts'

const address = `0x${'a'.repeat(40)}`
const rows = { traders: [{ wallet: address }], wallets: [{ address }] }

test.each([
  ['a column', 'pm_traders.archetype', '/v1/pm-traders', 'archetype'],
  ['a mart', 'pm_wallet', `/v1/pm-wallet?address=${address}`, 'pm_wallet'],
])('an answer that needs %s of a later version is a 503 until scores are published', async (_, lacking, path, name) => {
  const service = await startService({ rows: { ...rows, without: [lacking] } })
  const { status, headers, json } = await service.ask(path)
  expect([status, headers['retry-after'], json['error']]).toEqual([503, '5', 'not_ready'])
  expect(json['message']).toContain('the snapshot is of another version ("tapeline score" publishes a new one)')
  expect(json['message']).toContain(name)
  expect((await service.ask('/v1/pm-markets')).status).toBe(200)
  await service.publish('newer', rows)
  const newer = await service.ask(path)
  expect([newer.status, newer.text.toLowerCase()]).toEqual([200, expect.stringContaining(address)])
  await service.stop()
})

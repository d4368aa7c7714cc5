import { afterAll, beforeAll, expect, test } from 'vitest'

import { startService, type Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())

const coverage = async (guards: Record<string, boolean | null>, name: string) => {
  await service.publish(name, { guards, traders: [{ wallet: `0x${'1'.repeat(40)}` }] })
  const { status, headers } = await service.ask('/v1/pm-traders')
  expect(status).toBe(200)
  return headers['x-coverage']
}

test('a guard that does not hold is named in the header with its figures; an unknown one is not', async () => {
  expect(await coverage({ event_start: true, markout_24h: null }, 'held')).toBe('complete')
  const broken = await coverage({ event_start: true, markout_24h: false }, 'broken')
  expect(broken).toBe(
    'partial; reason="closes are not trusted now, and clv_score is missing for them: markout_24h: slope 0.60"',
  )
})

test('a list that counts groups has the best placed wallet of each, in ranks without gaps', async () => {
  const wallets = ['1', '2', '3'].map((digit) => `0x${digit.repeat(40)}`)
  const ranks = [1, null, 2]
  await service.publish('groups', { traders: wallets.map((wallet, i) => ({ wallet, rank_once: ranks[i] ?? null })) })
  const walletsOf = async (query: string) => {
    const { status, items } = await service.ask(`/v1/pm-traders?${query}`)
    expect(status).toBe(200)
    return (items as { wallet: string }[]).map(({ wallet }) => wallet)
  }
  expect(await walletsOf('')).toEqual(wallets)
  expect(await walletsOf('count=wallets')).toEqual(wallets)
  expect(await walletsOf('count=groups')).toEqual([wallets[0], wallets[2]])
  const ranked = await service.ask('/v1/trader-ranks?count=groups')
  expect((ranked.items as { rank: number }[]).map(({ rank }) => rank)).toEqual([1, 2])
})

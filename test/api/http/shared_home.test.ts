import { join } from 'node:path'

import { sql } from 'kysely'
import { Registry } from 'prom-client'
import { expect, onTestFinished, test } from 'vitest'

import { revokeKey } from '#accounts/account_keys.ts'
import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import type { Tier } from '#accounts/tiers.ts'
import { createApp } from '#api/app.ts'
import { serve } from '#api/http/listen.ts'
import { startService, type Service } from '#test/api/service.ts'

const started = async () => {
  const service = await startService({ isEmpty: true })
  onTestFinished(() => service.stop())
  return service
}

/** Another process over the home of a service: it has its own connection, and knows nothing of earlier requests. */
const startBeside = async ({ home, parts }: Service) => {
  const accounts = await openAccounts(join(home, 'accounts.db'))
  const served = await serve(await createApp({ ...parts, accounts, registry: new Registry() }), { port: 0 })
  onTestFinished(async () => {
    await served.close()
    await accounts.destroy()
  })
  return served.port
}

const keyOf = ({ accounts, clock }: Service, tier: Tier) => createKey(accounts, { tier, now: clock.at })

const ask = async (port: number, key: string) => {
  const reply = await fetch(`http://127.0.0.1:${port}/v1/account`, { headers: { authorization: `Bearer ${key}` } })
  await reply.arrayBuffer()
  return reply
}

/** The admitted ones of `n` simultaneous requests to each port. */
const admitted = async (ports: readonly number[], key: string, n: number) => {
  const sent = Array.from({ length: n }, () => ports.map((port) => ask(port, key)))
  const statuses = (await Promise.all(sent.flat())).map(({ status }) => status)
  expect(statuses.filter((status) => status !== 200 && status !== 429)).toEqual([])
  return statuses.filter((status) => status === 200).length
}

test('two processes on one home admit the limit together, and so does one after a restart', async () => {
  const service = await started()
  const ports = [service.port, await startBeside(service)]
  const [free, pro] = [await keyOf(service, 'free'), await keyOf(service, 'pro')]
  expect(await admitted(ports, free, 100)).toBe(60)
  let n = 0
  for (let round = 0; round < 4; round++) n += await admitted(ports, pro, 100)
  expect(n).toBeLessThanOrEqual(600)
  expect(n).toBeGreaterThanOrEqual(594)

  const again = await startBeside(service)
  const refused = await ask(again, free)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60'])
  service.clock.at += 60_000_000
  for (const port of [...ports, again]) expect((await ask(port, free)).status).toBe(200)
})

test('on a full disk keys and limits hold, writes are a 503, and all goes on once it has space', async () => {
  const service = await started()
  const [free, pro] = [await keyOf(service, 'free'), await keyOf(service, 'pro')]
  const authorization = `Bearer ${pro}`
  const save = () => {
    // The items take several pages.
    const items = Array.from({ length: 500 }, (_, i) => `${'A'.repeat(15)}${i}`)
    const body = JSON.stringify({ name: 'many', type: 'assets', items })
    const headers = { authorization, 'content-type': 'application/json' }
    return service.ask('/v1/watchlists', { method: 'POST', headers, body })
  }
  const limitTo = (pages: number) => sql`pragma max_page_count = ${sql.lit(pages)}`.execute(service.accounts)
  const { rows } = await sql<{ page_count: number }>`pragma page_count`.execute(service.accounts)
  await limitTo(rows[0]?.page_count ?? 0)
  // The pages that are there still have space for some rows.
  const fill = async () => {
    for (let i = 0; ; i++)
      await service.accounts
        .insertInto('rate_windows')
        .values({ name: `${i}`, begins_at: service.clock.at, used: 1 })
        .execute()
  }
  await expect(fill()).rejects.toMatchObject({ code: 'SQLITE_FULL' })

  const { status, headers, json } = await save()
  const message = 'service: not ready, the disk of the accounts is full; expected a retry in a few seconds.'
  expect([status, headers['retry-after'], json]).toEqual([503, '5', { error: 'not_ready', message }])
  expect(await admitted([service.port], free, 200)).toBe(60)
  expect(service.lines.join('\n')).toContain('limits: counted only by this process')
  await limitTo(1_000_000)
  expect((await save()).status).toBe(201)
})

test('invalid keys of a network read the store up to a number; keys that were valid before always do', async () => {
  const service = await started()
  const [known, fresh, revoked] = [
    await keyOf(service, 'enterprise'),
    await keyOf(service, 'enterprise'),
    await keyOf(service, 'pro'),
  ]
  await revokeKey(service.accounts, { key: revoked, now: service.clock.at })
  const statusOf = async (key: string) => (await ask(service.port, key)).status
  expect(await statusOf(known)).toBe(200)
  const statuses = []
  for (let i = 0; i < 1_101; i++) statuses.push(await statusOf(i % 2 === 0 ? revoked : 'tl_live_mistyped'))
  expect(statuses).toEqual(statuses.map((_, i) => (i < 100 ? 401 : 429)))
  expect(await statusOf(fresh)).toBe(200)
  for (let i = 0; i < 600; i++) await statusOf(revoked)

  // The verified key is no longer kept, so that it is looked up again.
  service.clock.at += 5_000_000
  expect(await statusOf(known)).toBe(200)
  await service.accounts.schema.alterTable('keys').renameTo('away').execute()
  const refused = await ask(service.port, revoked)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '55'])
  await service.accounts.schema.alterTable('away').renameTo('keys').execute()
  service.clock.at += 55_000_000
  expect(await statusOf(revoked)).toBe(401)
  expect(await statusOf(await keyOf(service, 'free'))).toBe(200)
})

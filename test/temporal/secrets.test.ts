import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openAccounts } from '#accounts/accounts.ts'
import { createKey } from '#accounts/keys.ts'
import { listRequested, requestIngestion } from '#accounts/requested.ts'
import { openSignIn } from '#accounts/sign_in/sign_in.ts'
import { requestedAccounts } from '#bin/wiring/service.ts'
import { key, serveFake, type FakeUpstream } from '#test/ingest/planted/requests/fake_upstream.ts'
import { ingestPlanted, plantedSources } from '#test/ingest/planted/requests/open_planted.ts'
import { begin, HOUR } from '#test/ingest/planted/requests/planted_rows.ts'
import { eventually } from '#test/run/eventually.ts'
import { ingestRequested } from '#workflows/ingest_requested.ts'

import { openWorking } from './support/engines.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

describeOnTemporal('a backfill with a key', () => {
  let server: TemporalServer
  let world: FakeUpstream
  let home: string
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-secrets-'))
    world = await serveFake()
    server = await startTemporal()
  })
  afterAll(async () => {
    await server.stop()
    await world.close()
    await rm(home, { recursive: true, force: true })
  })

  it('leaves keys and settings in no history, also those of accounts and where a unit fails by an error that shows the key', async () => {
    const to = begin + 10 * HOUR
    const accounts = await openAccounts(join(home, 'accounts.db'))
    const ownKey = await createKey(accounts, { tier: 'pro', now: to })
    const signIn = await openSignIn({
      accounts,
      now: () => to,
      publicUrl: 'http://localhost',
      sendResetLink: () => undefined,
    })
    await signIn.signUp({ email: 'ann@example.com', password: 'canary-password-7f3a9c', name: '', network: '' })
    const address = `0x${'ab'.repeat(20)}`
    await requestIngestion(accounts, { addresses: [address], now: to })
    const queue = requestedAccounts(accounts)
    const planted = await openWorking({
      home,
      upstream: world,
      clock: () => to,
      address: server.address,
      sources: plantedSources,
      watch: (activities) => ({
        ...activities,
        requestedKeys: () => queue.list([]),
        completeRequests: async ({ keys }) => queue.complete(keys, { left: [], empty: [] }),
      }),
      env: {
        PLANTED_KEY: key,
        TAPELINE_PLANTED_NAMES: 'café-1,café-2',
        TELEGRAM_BOT_TOKEN: '4242424242:AAcanary-token-of-the-bot',
      },
    })
    const done = await ingestPlanted(planted, to)
    // By the setting two of four rows of an hour are stored.
    expect(done).toMatchObject([
      { units: 10, rows: 20, failed: 0 },
      { units: 9, failed: 1 },
    ])
    const handle = await planted.engine.start(ingestRequested, {
      id: 'requested',
      args: [{ source: plantedSources[0]?.name ?? '', pause_ms: 100 }],
    })
    await eventually(async () => expect(await listRequested(accounts)).toEqual([]))
    await handle.cancel()
    await handle.result().catch(() => undefined)
    await planted.close()

    const connection = await Connection.connect({ address: server.address })
    const client = new Client({ connection })
    const histories: string[] = []
    for await (const { workflowId, runId } of client.workflow.list()) {
      const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
      // Payloads are base64.
      const decoded = (name: string, value: unknown): unknown =>
        name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value
      histories.push(JSON.stringify(events, decoded))
    }
    await connection.close()
    await accounts.destroy()
    expect(histories).toHaveLength(3)
    const text = histories.join('\n')
    expect(text.includes('bad request by [key removed]')).toBe(true)
    expect(text.includes(address)).toBe(true)
    for (const secret of [ownKey.slice(14), key, 'canary', 'sesame', 'café-1', Buffer.from(key).toString('base64')]) {
      expect(text.includes(secret)).toBe(false)
    }
  })
})

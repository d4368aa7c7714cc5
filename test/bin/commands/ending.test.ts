import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { startTemporal, type TemporalServer } from '#test/temporal/support/server.ts'
import { describeOnTemporal } from '#test/temporal/support/suite.ts'

describeOnTemporal('what ^C ends on a server', () => {
  let server: TemporalServer
  let connection: Connection
  let upstream: Server
  let home: string
  let n_requests = 0
  const children: ChildProcess[] = []

  beforeAll(async () => {
    server = await startTemporal()
    connection = await Connection.connect({ address: server.address })
    home = await mkdtemp(join(tmpdir(), 'tapeline-ending-'))
    // The upstream never answers, so each process that asks it is in the middle of a unit.
    upstream = createServer(() => (n_requests += 1)).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
  })

  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL')
    upstream.closeAllConnections()
    upstream.close()
    await connection.close()
    await server.stop()
    await rm(home, { recursive: true, force: true })
  })

  const tapeline = (...args: string[]): { child: ChildProcess; written: () => string } => {
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const urls = {
      POLYMARKET_GAMMA_URL: url,
      POLYMARKET_DATA_URL: url,
      POLYMARKET_CLOB_URL: url,
      POLYMARKET_RTDS_URL: url.replace('http', 'ws'),
    }
    const env = { ...process.env, ...urls, TAPELINE_HOME: home, TEMPORAL_ADDRESS: server.address }
    const child = spawn(process.execPath, ['bin/tapeline.js', ...args], { env, stdio: ['ignore', 'ignore', 'pipe'] })
    children.push(child)
    let written = ''
    child.stderr.on('data', (text: Buffer) => (written += text.toString()))
    return { child, written: () => written }
  }

  const endOf = async ({
    child,
    written,
  }: ReturnType<typeof tapeline>): Promise<{ code: unknown; written: string }> => {
    const [code] = (await once(child, 'exit')) as [unknown]
    return { code, written: written() }
  }

  it('is the worker or the view, and never the run', async () => {
    const view = tapeline('backfill', '--from', '2026-01-01')
    const worker = tapeline('worker')
    while (n_requests === 0) await sleep(50)
    const workerEnd = endOf(worker)
    worker.child.kill('SIGINT')
    expect((await workerEnd).code).toBe(0)
    const run = new Client({ connection }).workflow.getHandle('tapeline/backfill-polymarket_markets')
    const { status, raw } = await run.describe()
    expect(status.name).toBe('RUNNING')
    expect(raw.pendingActivities?.[0]?.lastFailure?.message).toContain('shutting down')

    const viewEnd = endOf(view)
    view.child.kill('SIGINT')
    expect((await viewEnd).written).toContain('backfill-polymarket_markets still runs')
    expect((await run.describe()).status.name).toBe('RUNNING')
  })
})

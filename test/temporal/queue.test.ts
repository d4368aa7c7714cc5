import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'

import { openEngine } from '#bin/wiring/engine.ts'
import { refuseForeignQueue } from '#bin/wiring/queue_guard.ts'
import { parseConfig } from '#config.ts'
import { openLake, type Lake } from '#lake/lake.ts'
import { lakeId } from '#lake/lake_id.ts'
import { runMain } from '#test/bin/run_main.ts'

import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'

describeOnTemporal('a task queue', () => {
  let root: string
  let server: TemporalServer
  const opened: Lake[] = []
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-queue-'))
    server = await startTemporal()
  })
  afterAll(async () => {
    for (const lake of opened) await lake.close()
    await server.stop()
    await rm(root, { recursive: true, force: true })
  })

  const env = (home: string, queue: string): Record<string, string> => ({
    TAPELINE_HOME: join(root, home),
    TEMPORAL_ADDRESS: server.address,
    TEMPORAL_TASK_QUEUE: queue,
  })
  const open = async (home: string): Promise<Lake> => {
    const lake = await openLake(join(root, home), { threads: 1, memory: '1GB' })
    opened.push(lake)
    return lake
  }
  const claim = async (lake: Lake, queue: string): Promise<string> =>
    refuseForeignQueue(parseConfig(env('any', queue)), lake).then(
      () => 'claimed',
      (error: unknown) => String(error),
    )

  it('belongs to the lake that came first, also if several come at once, and for ever', async () => {
    const [one, same, other] = [await open('one'), await open('one'), await open('other')]
    expect(await lakeId(same)).toBe(await lakeId(one))
    const lakes = [one, same, other]
    const outcomes = await Promise.all(lakes.map((lake) => claim(lake, 'many')))
    const winner = outcomes[2] === 'claimed' ? other : one
    expect(outcomes.map((outcome) => outcome === 'claimed')).toEqual(
      lakes.map((lake) => (lake === other) === (winner === other)),
    )
    await server.restart()
    expect(await claim(winner, 'many')).toBe('claimed')
    const loser = winner === other ? one : other
    expect(await claim(loser, 'many')).toBe(
      `WrongServerSetting: TEMPORAL_TASK_QUEUE many: belongs to the lake ${await lakeId(winner)}, and this home holds the ` +
        `lake ${await lakeId(loser)}; expected the home of that lake, another task queue, or no schedule many/lake on the server`,
    )
    expect(await claim(loser, 'few')).toBe('claimed')
  })

  it('is asked for its workers also after the clock of the machine was set forward', async () => {
    const engine = await openEngine(parseConfig(env('any', 'idle')))
    onTestFinished(() => engine.close())
    const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 3_600_000)
    onTestFinished(() => clock.mockRestore())
    expect(await engine.unservedQueue('ingest')).toBe('idle')
    expect(await engine.unservedQueue('score')).toBe('idle-score')
  })

  it('refuses the worker and the commands of a second home with one sentence, and they do nothing', async () => {
    expect(await claim(await open('first'), 'shared')).toBe('claimed')
    const backfill = ['backfill', 'polymarket_markets', '--from', '2026-01-01']
    for (const args of [['worker'], ['follow'], ['publish'], backfill, ['score']]) {
      const { code, out, err } = await runMain(args, env('second', 'shared'))
      expect([args[0], code, out]).toEqual([args[0], 2, ''])
      expect(err).toMatch(
        /^tapeline: TEMPORAL_TASK_QUEUE shared: belongs to the lake \S+, and this home holds the lake \S+; expected .*\n$/,
      )
    }
    const client = new Client({ connection: await Connection.connect({ address: server.address }) })
    const runs: string[] = []
    for await (const { workflowId } of client.workflow.list()) runs.push(workflowId)
    await client.connection.close()
    expect(runs).toEqual([])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'

import { followed as allFollowed } from '#bin/wiring/follow_plan.ts'
import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'
import { runMain } from '#test/bin/run_main.ts'

const world = createWorld({ seed: 9, scale: 0.02 })

/** The followed sources of the only venue that is served. */
const followed = allFollowed.filter((name) => name.startsWith('polymarket_'))

type Ended = { code: unknown; out: string; err: string }

describe('a backfill of all sources', () => {
  let upstream: ServedWorld
  const homes: string[] = []

  beforeAll(async () => {
    // The command uses the machine's clock, by which this world is over.
    upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
  })
  afterAll(async () => {
    await upstream.close()
    for (const home of homes) await rm(home, { recursive: true, force: true })
  })

  const newHome = async (): Promise<string> => {
    const home = await mkdtemp(join(tmpdir(), 'tapeline-backfill-'))
    homes.push(home)
    return home
  }

  /** Runs the command as a person does, and presses ^C at `endAt`. `data`: another address of that host. */
  async function tapeline(
    home: string,
    args: readonly string[],
    { endAt, data }: { endAt?: Promise<unknown>; data?: string } = {},
  ): Promise<Ended> {
    const hosts = { ...upstream.hosts, ...(data === undefined ? {} : { polymarket_data: data }) }
    const env = { ...process.env, TAPELINE_HOME: home, ...worldSettings({ ...upstream, hosts }) }
    const child = spawn(process.execPath, ['bin/tapeline.js', 'backfill', ...args], { env })
    let [out, err] = ['', '']
    child.stdout.on('data', (text: Buffer) => (out += text.toString()))
    child.stderr.on('data', (text: Buffer) => (err += text.toString()))
    void endAt?.then(() => child.kill('SIGINT'))
    const [code] = (await once(child, 'close')) as [unknown]
    return { code, out, err }
  }

  /** Runs the command in this process, where no test interrupts it. */
  const inProcess = (home: string, args: readonly string[]): Promise<Ended> =>
    runMain(['backfill', ...args], { TAPELINE_HOME: home, ...worldSettings(upstream) })

  /** An upstream that never answers. */
  async function newSilent(): Promise<{ url: string; asked: Promise<unknown> }> {
    const server = createServer().listen(0, '127.0.0.1')
    await once(server, 'listening')
    onTestFinished(() => {
      server.closeAllConnections()
      server.close()
    })
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked: once(server, 'request') }
  }

  it('is estimated, interrupted, continued, and then has only growing units left', async () => {
    const home = await newHome()
    const from = ['--from', '2026-07-01']
    const before = await inProcess(home, [...from, '--dry-run'])
    expect(before.code).toBe(0)
    const names = before.out.split('\n').map((line) => line.split(' ')[0])
    expect(names.slice(0, 8)).toEqual(['source', ...followed, 'total'])
    expect(before.out).toMatch(/polymarket_trades +0 .* not known yet\n/)
    expect(before.out).toContain('polymarket_resolutions: more units may be due after polymarket_markets is read')
    expect(before.out).toMatch(/total .* at least\n/)
    expect(before.err).toBe('')

    // The host of the second source does not answer.
    const silent = await newSilent()
    const stopped = await tapeline(home, from, {
      data: silent.url,
      endAt: silent.asked,
    })
    expect(stopped.code).toBe(130)
    expect(stopped.err).toContain('[1/6] polymarket_markets: 1 of 1 units')
    expect(stopped.err).toMatch(
      /tapeline backfill: polymarket_resolutions: cancelled after 0 of \d+ units; the same command continues it\n$/,
    )

    const done = await tapeline(home, from)
    expect(done.err).toMatch(/\n6 sources: [\d,]+ units, [\d,]+ rows in \d+ s\n/)
    for (const [n, name] of followed.entries()) expect(done.err).toContain(`[${n + 1}/6] ${name}: `)
    expect(done.err).not.toContain('failed')
    expect(done.code).toBe(0)

    const again = await inProcess(home, [...from, 'polymarket_trades', '--dry-run'])
    // A market that is open may be due again by now, and no other.
    const n_due = Number(/polymarket_trades +(\d+) /.exec(again.out)?.[1])
    expect(n_due).toBeLessThan(world.markets.length / 4)
  })

  it('continues after a failed source, lists it, and exits with 1', async () => {
    const home = await newHome()
    const refusing = createServer((_, response) => void response.writeHead(400).end()).listen(0, '127.0.0.1')
    await once(refusing, 'listening')
    onTestFinished(() => void refusing.close())
    const data = `http://127.0.0.1:${(refusing.address() as AddressInfo).port}`
    const { code, err } = await tapeline(home, ['--from', '2026-07-01'], { data })
    expect(code).toBe(1)
    expect(err).toMatch(/\nfailed:\n( {2}polymarket_\w+: [\d,]+ units failed; the same command tries them again\n)+$/)
    expect(err).toMatch(/\n {2}polymarket_trades: /)
    expect(err).toContain('[6/6] polymarket_odds: 1 of 1 units')
  })

  it('reads the units of an outage again with --refresh, though they count as complete', async () => {
    const home = await newHome()
    const args = ['polymarket_trades', '--from', '2026-07-01']
    expect((await inProcess(home, ['polymarket_markets', 'polymarket_resolutions', ...args.slice(1)])).code).toBe(0)
    // The last line of the progress has the total.
    const rowsOf = (text: string) => [...text.matchAll(/polymarket_trades: .* units, ([\d,]+) rows/g)].at(-1)?.[1]
    const empty = { data: [], pagination: { has_more: false, next_cursor: null } }
    const outage = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').setHeader('x-simulated-world', upstream.worldName)
      response.end(JSON.stringify(empty))
    }).listen(0, '127.0.0.1')
    await once(outage, 'listening')
    onTestFinished(() => void outage.close())
    const data = `http://127.0.0.1:${(outage.address() as AddressInfo).port}`
    expect(rowsOf((await tapeline(home, args, { data })).err)).toBe('0')
    // An empty market is an answer, so that only a refresh reads it again.
    const refreshed = await inProcess(home, [...args, '--refresh'])
    expect(refreshed).toMatchObject({ code: 0 })
    const trades = world.matches.length
    expect(Number(rowsOf(refreshed.err)?.replaceAll(',', ''))).toBeGreaterThan(trades)
  })

  it('reads only the named sources, in their order', async () => {
    const home = await newHome()
    const { code, err } = await inProcess(home, ['polymarket_odds', 'polymarket_markets', '--from', '2026-07-01'])
    expect(code).toBe(0)
    expect(err).toMatch(/^\[1\/2\] polymarket_markets: .*\n\[2\/2\] polymarket_odds: .*\n2 sources: /)
  })

  it.each([
    [['--from', '2026-07-02', '--to', '2026-07-01'], '--from: not before --to; expected an earlier instant'],
    [['--from', '2026-07-01', '--accept-loss'], '--accept-loss: without --refresh; expected both'],
    [['--from', '2026-07-01', '--part', '0xa'], '--part: no single source; expected one <source>'],
    [
      ['polymarket_trades', '--from', '2026-07-01', '--part', '0xa'],
      '--part 0xa: no unit of polymarket_trades; ' +
        'expected a condition id of 0x and 64 hexadecimal digits (62 of Protocol V2)',
    ],
  ])('%j is refused', async (args, message) => {
    const { code, err } = await inProcess(await newHome(), args)
    expect(code).toBe(2)
    expect(err).toContain(`tapeline: ${message}\n`)
  })
})

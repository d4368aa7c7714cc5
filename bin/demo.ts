import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { createKey } from '#accounts/keys.ts'
import type { Config } from '#config.ts'
import { startWorkflow } from '#engine/embedded.ts'
import { fastClock } from '#sim/clock.ts'
import { serveWorld } from '#sim/server.ts'
import { createWorld, type World } from '#sim/world.ts'
import { score } from '#workflows/score.ts'

import { follow, followed } from './follow.ts'
import { openHouse, type House } from './house.ts'
import { count, runBackfill } from './progress.ts'
import { ports } from './serve.ts'
import { openService, untilStopped, type Service } from './service.ts'
import { readArgs, readNumber, textOf, type Command } from './usage.ts'

const options = { port: { type: 'string' }, seed: { type: 'string' }, once: { type: 'boolean' } } as const

/** Seconds of the simulated world in one second of the machine. */
const speed = 60
/** A loopback upstream is not spared: the polite rates are for the world outside. */
const unlimited = { requestsPer10s: 1_000_000, concurrency: 16 }

/** `tapeline demo`: the whole pipeline on a simulated world, begun anew each time. */
export const demo: Command = {
  usage: 'demo [--port N] [--seed N] [--once]',
  doc: 'Run everything on a simulated world: ingest, score and serve. --once: one cycle, then exit.',
  run: async (args, config) => {
    const { values } = readArgs(args, options)
    const port = textOf(values['port'])
    const seed = readNumber('seed', textOf(values['seed']) ?? '1', { least: 0, most: 2 ** 31 - 1 })
    const home = join(config.home, 'demo')
    await rm(home, { recursive: true, force: true })

    const say = (text: string): void => void process.stderr.write(`${text}\n`)
    const world = createWorld({ seed })
    say(`a simulated world, seed ${seed}: ${count(world.markets.length)} markets, ${count(world.traders.length)} traders`)
    const clock = fastClock({ start: world.now, speed, machine: () => Date.now() * 1000 })
    const upstream = await serveWorld({ world, clock })
    const listen = port === undefined ? config.listen : { ...config.listen, port: readNumber('port', port, ports) }
    const own: Config = { ...config, home, listen, hosts: simulated(upstream) }
    const stop = new AbortController()
    const house = await openHouse(own, { clock, signal: stop.signal })
    const close: (() => Promise<unknown>)[] = [house.close, upstream.close]
    try {
      await cycle(house, world)
      const service = await openService(port === undefined ? await withFreePort(own) : own)
      close.unshift(service.close)
      const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1000 })
      await assertAnswers(service, key)
      process.stdout.write(`ready ${service.url} key ${key}\n`)
      if (values['once'] === true) return 0
      say(`try:  curl -H "Authorization: Bearer ${key}" "${service.url}/v1/pm-traders?sort=pnl&limit=5"`)
      say(`docs: ${service.url}/docs   analysts: duckdb -readonly ${join(home, 'tapeline.duckdb')}`)
      const following = follow(house, service, { from: 0, to: clock, signal: stop.signal, pause_ms: 5_000 })
      await untilStopped()
      stop.abort()
      await following
      return 0
    } finally {
      stop.abort()
      for (const end of close) await end()
    }
  },
}

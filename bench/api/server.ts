import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

import { createKey } from '#accounts/keys.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { machineClock } from '#time.ts'

/** An answer as bytes: alternating names and values of its headers, and its body in base64. */
export type Answer = { status: number; headers: string[]; body: string }

/** The messages of a server to the benchmark: where it listens, and the processor time that it has used. */
export type Report = { port: number; key: string } | { cpu_us: number }

/** Listens in a process of its own: `tapeline <home>`, or `bare <JSON of answers by path>`. */
const [kind = '', given = ''] = process.argv.slice(2)

const listening = kind === 'tapeline' ? await openTapeline(given) : await openBare(given)
process.once('SIGINT', () => process.exit(0))
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  report({ cpu_us: user + system })
})
report(listening)

function report(message: Report): void {
  process.send?.(message)
}

async function openTapeline(home: string): Promise<Report> {
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0', TAPELINE_RATE_FACTOR: '1000000' })
  const service = await openService(config)
  const key = await createKey(service.accounts, { tier: 'enterprise', now: machineClock() })
  return { port: Number(new URL(service.url).port), key }
}

async function openBare(answers: string): Promise<Report> {
  const byPath = new Map(
    Object.entries(JSON.parse(answers) as Record<string, Answer>).map(([path, { status, headers, body }]) => [
      path,
      { status, headers, body: status === 304 ? undefined : Buffer.from(body, 'base64') },
    ]),
  )
  const server = createServer({ keepAliveTimeout: 65_000 }, (req, res) => {
    const answer = byPath.get(req.url ?? '')
    res.writeHead(answer?.status ?? 404, answer?.headers)
    res.end(answer?.body)
  })
  await new Promise<void>((resolve) => server.listen({ port: 0, host: '127.0.0.1' }, resolve))
  return { port: (server.address() as AddressInfo).port, key: '' }
}

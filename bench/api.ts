import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { link, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { measureBeside } from './api/beside.ts'
import { get, load, percentile, type Load } from './api/load.ts'
import { homeWithMarts, walletOf } from './api/marts.ts'
import type { Answer, Report } from './api/server.ts'

/**
 * The cost of cached answers compared with bare `node:http` that sends the same bytes, and the time of uncached reads:
 * `npm run bench -- api [--traders 1000000] [--seconds 1] [--rounds 15] [--connections 50] [--cold 4] [--beside 60]`.
 * The servers are processes of their own and are measured in turn. A ratio is that of requests a second of the server's
 * processor, of the lower quartile of the rounds on each side, since other load of the machine only adds. For
 * `--beside` seconds the service is then measured beside a pipeline that publishes, and as long alone; 0 leaves this
 * out. The last lines are `ratio warm <n>`, `ratio not-modified <n>` and `ratio beside <n>`, the latter of 99th
 * percentiles.
 */
const { values } = parseArgs({
  options: {
    traders: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    connections: { type: 'string', default: '50' },
    cold: { type: 'string', default: '4' },
    beside: { type: 'string', default: '60' },
  },
})
const n_traders = Number(values.traders)
const path = '/v1/pm-traders?limit=50'

type Server = { port: number; key: string; cpu_us: () => Promise<number>; stop: () => void }

async function start(kind: 'tapeline' | 'bare', given: string): Promise<Server> {
  const child = fork(join(import.meta.dirname, 'api', 'server.ts'), [kind, given], { execArgv: process.execArgv })
  const listening = await next(child)
  if (!('port' in listening)) throw new Error('server: did not listen')
  const cpu_us = async () => {
    child.send('cpu')
    const used = await next(child)
    return 'cpu_us' in used ? used.cpu_us : Number.NaN
  }
  return { ...listening, cpu_us, stop: () => child.kill() }
}

const next = async (child: ChildProcess): Promise<Report> => ((await once(child, 'message')) as [Report])[0]

/** The answer of a request, without the headers that `node:http` adds. */
const capture = (port: number, key: string, more: Record<string, string>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, ...more }
    const req = request({ port, host: '127.0.0.1', path, headers }, (res) => {
      const chunks: Buffer[] = []
      res.on('data', (chunk: Buffer) => chunks.push(chunk))
      res.on('end', () => {
        const own = res.rawHeaders.flatMap((name, i, all) =>
          i % 2 === 0 && !/^(date|connection|keep-alive)$/i.test(name) ? [name, all[i + 1] ?? ''] : [],
        )
        resolve({ status: res.statusCode ?? 0, headers: own, body: Buffer.concat(chunks).toString('base64') })
      })
    })
    req.on('error', reject)
    req.end()
  })

type Round = { rps: number; us: number; p99_ms: number }

async function measure(server: Server, sent: Load): Promise<Round> {
  const before = await server.cpu_us()
  const seconds = Number(values.seconds)
  const { n, took_ms } = await load(server.port, { connections: Number(values.connections), seconds, next: () => sent })
  return { rps: n / seconds, us: ((await server.cpu_us()) - before) / n, p99_ms: percentile(took_ms, 0.99) }
}

async function compare(name: string, own: [Server, Load], bare: [Server, Load]): Promise<string> {
  const rounds: { own: Round; bare: Round }[] = []
  // The first round of each warms up.
  for (let round = 0; round <= Number(values.rounds); round++) {
    const both = { own: await measure(...own), bare: await measure(...bare) }
    if (round > 0) rounds.push(both)
  }
  const of = (pick: (round: { own: Round; bare: Round }) => number) => median(rounds.map(pick))
  for (const side of ['own', 'bare'] as const) {
    const label = `${name} ${side === 'own' ? 'tapeline' : 'node:http'}`.padEnd(24)
    const [rps, us, p99] = [of((r) => r[side].rps), of((r) => r[side].us), of((r) => r[side].p99_ms)]
    console.log(`${label} ${rps.toFixed(0)} requests/s, ${us.toFixed(1)} us of processor, p99 ${p99.toFixed(1)} ms`)
  }
  console.log(`${name} by requests a second: ${of((r) => r.own.rps / r.bare.rps).toFixed(2)}`)
  const least = (side: 'own' | 'bare') =>
    percentile(
      rounds.map((round) => round[side].us),
      0.25,
    )
  return `ratio ${name} ${(least('bare') / least('own')).toFixed(2)}`
}

const median = (numbers: readonly number[]): number => percentile(numbers, 0.5)

/** Distinct reads, so that each is a miss: pages of all orders and ranges by size, and profiles. */
const coldReads = {
  leaderboard: (turn: number) => {
    const [sort, range] = [sorts[turn % 3], ranges[Math.floor(turn / 3) % 3]]
    return `/v1/pm-traders?sort=${sort}&range=${range}&limit=${1 + (turn % 1_000)}`
  },
  profile: (turn: number) => `/v1/pm-wallet?address=${walletOf((turn * 7_919) % n_traders)}`,
  /** An address that nobody has asked for. */
  stranger: (turn: number) => `/v1/pm-wallet?address=${walletOf(n_traders + turn)}`,
}
const sorts = ['pnl', 'win_rate', 'clv']
const ranges = ['30d', '90d', 'all']

/** Cold reads so far: none is made twice. */
let n_cold = 0

async function measureCold(server: Server, name: keyof typeof coldReads, callers = 8): Promise<void> {
  const readNext = () => ({ request: get(coldReads[name](n_cold++), server.key), status: 200 })
  // The first reads also load the file and compile the code.
  await load(server.port, { connections: callers, seconds: 1, next: readNext })
  const before = await server.cpu_us()
  const { took_ms } = await load(server.port, { connections: callers, seconds: Number(values.cold), next: readNext })
  const us = ((await server.cpu_us()) - before) / took_ms.length
  const [p50, p99] = [percentile(took_ms, 0.5), percentile(took_ms, 0.99)]
  console.log(
    `cold ${name}, callers ${callers}: ${took_ms.length} reads, ${us.toFixed(0)} us of processor, ` +
      `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms`,
  )
}

async function run(home: string): Promise<void> {
  await mkdir(join(home, 'marts'))
  const marts = join(await homeWithMarts(n_traders), 'marts')
  for (const name of await readdir(marts)) await link(join(marts, name), join(home, 'marts', name))
  const tapeline = await start('tapeline', home)
  const { port, key } = tapeline
  const warm = await capture(port, key, {})
  const tag = warm.headers[warm.headers.indexOf('ETag') + 1] ?? ''
  const notModified = await capture(port, key, { 'if-none-match': tag })
  const bare = await start('bare', JSON.stringify({ [path]: warm, '/304': notModified }))
  try {
    console.log(`${n_traders} traders; an answer has ${Buffer.from(warm.body, 'base64').byteLength} bytes`)
    await measureCold(tapeline, 'leaderboard')
    await measureCold(tapeline, 'profile')
    await measureCold(tapeline, 'stranger')
    // Alone, a caller waits for no other: this is the time of one request.
    await measureCold(tapeline, 'stranger', 1)
    const ratios = [
      await compare(
        'warm',
        [tapeline, { request: get(path, key), status: 200 }],
        [bare, { request: get(path, key), status: 200 }],
      ),
      await compare(
        'not-modified',
        [tapeline, { request: get(path, key, `If-None-Match: ${tag}\r\n`), status: 304 }],
        [bare, { request: get('/304', key, `If-None-Match: ${tag}\r\n`), status: 304 }],
      ),
    ]
    if (Number(values.beside) > 0) ratios.push(await measureBeside(Number(values.beside)))
    console.log(ratios.join('\n'))
  } finally {
    tapeline.stop()
    bare.stop()
  }
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
try {
  await run(home)
} finally {
  await rm(home, { recursive: true, force: true })
}

import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, writeSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, expect, it } from 'vitest'

import { worldSettings } from '#bin/wiring/simulated_hosts.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld, type ServedWorld } from '#sim/server/server.ts'

const world = createWorld({ seed: 9, scale: 0.02 })

/** Whether this user may mount a file system in a namespace of its own. */
const canMount = ((): boolean => {
  try {
    execFileSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', '/mnt'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
})()

/**
 * Steps that run on a disk of 170 MB. The disk is full once the file `filler` takes what is left of it. Both homes read
 * until the same instant. A `follow` opens its databases in the 8 MB
 * that are freed, and refuses to read into so few.
 */
const steps = `
mount -t tmpfs -o size=170m none "$1" && cd "$2"
export TAPELINE_HOME="$1/home"
tl() { node bin/tapeline.js "$@"; echo "exit $?" >&2; }
read_all() { tl backfill polymarket_markets polymarket_resolutions polymarket_trades --from 2026-07-01 --to 2026-11-01; }
echo step ready >&2; read -r _
read_all
echo step full >&2
cat /dev/zero >"$1/filler2" 2>/dev/null
tl status; tl verify; tl repair; ls "$1/home" >&2; rm "$1/filler2"
truncate -s -8M "$1/filler"
echo step followed >&2
node bin/tapeline.js follow & follow=$!
read -r _
kill -TERM $follow; wait $follow; echo "exit $?" >&2
rm "$1/filler"
echo step emptied >&2; read_all; tl verify
TAPELINE_HOME="$1/calm"; read_all
echo step left >&2; find "$1" -name '*.tmp-*' >&2; ls "$1/home/scratch" >&2
for home in home calm; do echo step $home >&2; node -e "$PRINT_FILLS" "$1/$home" >&2; done
`

/** Prints the number and the hash of the fills of each market of a home. */
const printFills = `
const { DuckDBInstance } = require('@duckdb/node-api')
void (async () => {
  const connection = await (await DuckDBInstance.create()).connect()
  const fills = "(select distinct * from read_parquet('" + process.argv[1] + "/lake/fills/**/*.parquet'))"
  const sql = 'select market_id, count(*), bit_xor(hash(fill)) from ' + fills + ' fill group by all order by all'
  for (const row of (await connection.runAndReadAll(sql)).getRowsJS()) console.log(row.join(' '))
})()
`

let upstream: ServedWorld
let folder: string
let proxy: Server
/** Called at each request of trades. */
let onTrades: (() => void) | undefined
let n_trades = 0

beforeAll(async () => {
  upstream = await serveWorld({ world, clock: () => Date.now() * 1000 })
  folder = await mkdtemp(join(tmpdir(), 'tapeline-full-'))
  const target = upstream.hosts['polymarket_data'] ?? ''
  proxy = createServer((message, response) => {
    if (message.url?.includes('/trades') === true) {
      n_trades += 1
      onTrades?.()
    }
    const { method, headers } = message
    const asked = request(`${target}${message.url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    message.pipe(asked)
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
})
afterAll(async () => {
  proxy.closeAllConnections()
  proxy.close()
  await upstream.close()
  await rm(folder, { recursive: true, force: true })
})

/** Writes zeros until the disk takes no more. */
function fill(file: string): void {
  const handle = openSync(file, 'w')
  const zeros = Buffer.alloc(1_048_576)
  try {
    for (;;) writeSync(handle, zeros)
  } catch (error) {
    expect(error).toMatchObject({ code: 'ENOSPC' })
  } finally {
    closeSync(handle)
  }
}

// Elsewhere only the unit tests of full disks run.
it.skipIf(!canMount && process.env['CI'] === undefined)(
  'a disk that fills in the middle ends a backfill with one sentence, and afterwards the same command completes it',
  async () => {
    const hosts = { ...upstream.hosts, polymarket_data: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}` }
    const settings = { TAPELINE_CONCURRENCY: '2', PRINT_FILLS: printFills }
    const env = { ...process.env, ...settings, ...worldSettings({ ...upstream, hosts }) }
    const child = spawn('unshare', ['-rm', 'sh', '-c', steps, 'sh', folder, process.cwd()], { env })
    let err = ''
    const closed = once(child, 'close')
    const reached = (text: RegExp): Promise<void> =>
      new Promise((resolve, reject) => {
        const look = (): void => void (text.test(err) && resolve())
        child.stderr.on('data', look)
        child.once('close', () => reject(new Error(`it ended before ${text}: ${err}`)))
        look()
      })
    child.stderr.on('data', (data: Buffer) => (err += data.toString()))
    await reached(/step ready/)
    const filler = join('/proc', String(child.pid), 'root', folder, 'filler')
    onTrades = () => {
      if (n_trades === 20) fill(filler)
    }
    child.stdin.write('\n')
    await reached(/step full/)
    const n_after = n_trades - 20
    await reached(/polymarket_feed: disk: \d+ MB free; expected/)
    child.stdin.write('\n')
    await closed
    const [stopped = '', alone = '', followed = '', completed = '', left = '', home = '', calm = ''] = err
      .split(/step \w+\n/)
      .slice(1)
    const full = /\n {2}polymarket_trades: disk: .*; expected [^;\n]+\n/
    expect(stopped).toMatch(full)
    expect(stopped).toMatch(/exit 1\n$/)
    // The units under way are read, and not the batches after them.
    expect(n_after).toBeLessThan(20)
    // Status and verify read copies. A repair does not take a whole catalog for a damaged one.
    expect(alone.match(/exit \d/g)).toEqual(['exit 0', 'exit 0', 'exit 1'])
    expect(alone).toMatch(/tapeline repair: disk: .*; expected free space in TAPELINE_HOME\n/)
    expect(alone).not.toContain('.damaged-')
    expect(followed).toMatch(/: polymarket_feed: disk: .*; expected [^;\n]+\n/)
    expect(followed).toMatch(/exit 0\n$/)
    expect(completed.match(/exit \d/g)).toEqual(['exit 0', 'exit 0', 'exit 0'])
    expect(left).toBe('')
    expect(home.split('\n').length).toBeGreaterThan(50)
    expect(calm).toBe(home)
  },
)

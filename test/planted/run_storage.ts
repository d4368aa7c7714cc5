import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openService } from '#bin/wiring/service.ts'
import { parseConfig } from '#config.ts'
import { compactLake } from '#lake/compaction/compact.ts'
import { vacuum } from '#lake/compaction/vacuum.ts'
import { openLake } from '#lake/lake.ts'
import { repairLake } from '#lake/repair/repair.ts'
import { verifyLake } from '#lake/verify.ts'
import { askAll } from '#scripts/compare/answers.ts'
import { masked } from '#scripts/compare/evidence.ts'
import { createWorld } from '#sim/markets/world.ts'
import { serveWorld } from '#sim/server/server.ts'
import { hashesOf, ingestAll, openTestPipeline } from '#test/pipeline/pipeline.ts'
import { DAY } from '#time.ts'

// Run in a copy of the tree that has the planted storage `objects`: reads a small world into a lake in a folder and
// into one in a bucket, publishes both, and prints what each has, as JSON.
const bucket = new Map<string, { bytes: Buffer; at: number }>()
const counts: Record<string, number> = {}
const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://objects')
  const [path, method] = [decodeURIComponent(pathname.slice('/bucket/'.length)), request.method ?? '']
  counts[method] = (counts[method] ?? 0) + 1
  const work = async (): Promise<void> => {
    const prefix = searchParams.get('prefix')
    if (prefix !== null) {
      response.end(JSON.stringify([...bucket.keys()].filter((key) => key.startsWith(prefix)).toSorted()))
      return
    }
    if (method === 'PUT') bucket.set(path, { bytes: await buffer(request), at: Date.now() * 1_000 })
    if (method === 'DELETE') bucket.delete(path)
    const stored = bucket.get(path)
    if (stored === undefined) {
      response.writeHead(method === 'DELETE' ? 200 : 404).end()
      return
    }
    const etag = createHash('sha256').update(stored.bytes).digest('hex')
    response.writeHead(200, { etag, 'x-modified-us': String(stored.at) })
    response.end(method === 'GET' ? stored.bytes : undefined)
  }
  work().catch(() => response.destroy())
})
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const OBJECTS_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`

const world = createWorld({ seed: 11, scale: 0.01 })
const upstream = await serveWorld({ world, clock: () => world.now })
const limits = { threads: 1, memory: '1GB' }
const line = z.object({ line: z.string() })

/** What a home has after its facts were read, compacted, published, checked, and found again without a catalog. */
async function evidence(home: string, env: Record<string, string>) {
  const config = parseConfig({ TAPELINE_HOME: home, TAPELINE_PORT: '0', ...env })
  const { storage } = config
  const house = await openTestPipeline(home, upstream, () => world.now, { keepRaw: true, storage })
  const facts = async () => {
    const coverage = `select to_json(c)::varchar as line from lake.coverage c order by all`
    const lines = await house.lake.read((reader) => reader.query(coverage, line))
    const stored = await Promise.all(['lake', 'raw', 'progress'].map((root) => house.lake.storage.list(root)))
    return { coverage: lines.map((row) => row.line), paths: stored.flat() }
  }
  await ingestAll(house, world.now)
  const ingested = await facts()
  const later = Date.now() * 1_000 + DAY
  const { n_files_merged } = await compactLake(house.lake, { now: later, minAge_s: 0 })
  const { deleted } = await vacuum(house.lake, { now: later, keep_ms: 1_000 })
  const hashes = {
    ...hashesOf(await house.publish('scores', world.now)),
    ...hashesOf(await house.publish('pulse', world.now)),
  }
  const compacted = await facts()
  const verified = await verifyLake(house.lake)
  await house.lake.close()

  const service = await openService(config, true)
  const key = await createKey(service.accounts, { tier: 'enterprise', now: Date.now() * 1_000 })
  const all = await askAll((path, request) => fetch(`${service.url}${path}`, request), key)
  await service.close()
  // The answer has the requests that are left in this minute, as a sentence.
  const answers = [...all].filter(([name]) => !name.endsWith('my rate limit?'))

  for (const end of ['', '-wal', '-shm']) await rm(join(home, `catalog.sqlite${end}`), { force: true })
  const { rebuilt, damaged } = await repairLake({ home, limits, database: undefined, storage })
  const lake = await openLake(home, limits, undefined, storage)
  const repaired = await verifyLake(lake)
  await lake.close()
  return {
    ingested,
    merged: { n_files_merged, deleted: deleted.toSorted() },
    compacted,
    hashes,
    verified,
    answers: Object.fromEntries(answers.map(([name, text]) => [name, withoutBuild(text)])),
    repair: { n_units: rebuilt?.n_units, damaged, repaired },
    folders: readdirSync(home).filter((name) => ['lake', 'raw', 'marts', 'derived', 'copies'].includes(name)),
  }
}

/** An answer without the instants at which its side was built and asked. */
const withoutBuild = (text: string): string =>
  masked(text)
    .replaceAll(/^last-modified: .*$/gm, 'last-modified: <built>')
    .replaceAll(/"remaining":\d+,"reset":\d+/g, '<rate>')

const folder = await evidence(join(process.cwd(), 'home_folder'), {})
const objects = await evidence(join(process.cwd(), 'home_objects'), { OBJECTS_URL })
process.stdout.write(JSON.stringify({ folder, objects, counts, n_objects: bucket.size }))
await upstream.close()
server.closeAllConnections()
server.close()

import { z } from 'zod'

// A process that reads a host without end, and states in each request when it began.
import { createHttp } from '#ingest/http/http.ts'
import { openMembers } from '#lake/catalog/members.ts'
import { openLake } from '#lake/lake.ts'
import { tinyHost } from '#test/ingest/tiny.ts'
import { machineTimers } from '#time.ts'

const [home = '', name = '', url = '', requestsPer10s = ''] = process.argv.slice(2)
const host = { ...tinyHost, url, requestsPer10s: Number(requestsPer10s), concurrency: 4 }
const { catalog } = await openLake(home, { threads: 1, memory: '500MB' })
const { share } = openMembers({ catalog, ...machineTimers })
const stamped: typeof fetch = (input, init) =>
  fetch(input, { ...init, headers: { 'x-reader': name, 'x-begun': String(Date.now()) } })
const http = createHttp({ hosts: { [host.name]: host }, random: Math.random, ...machineTimers, share, fetch: stamped })
const read = async (): Promise<never> => {
  for (;;) await http({ host: host.name, path: '/' }, z.unknown())
}
await Promise.all(Array.from({ length: host.concurrency }, read))

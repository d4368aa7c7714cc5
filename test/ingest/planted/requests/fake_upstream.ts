import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

import { bodyOf } from '#test/ingest/http/server.ts'

import { badHour_s, isBroken, truthOf } from './planted_rows.ts'

export const key = 'canary-4711/sesame'

export type FakeUpstream = {
  /** The addresses by the names of the hosts, as `simulatedHosts` takes them. */
  hosts: Record<string, string>
  worldName: string
  /** Requests so far, by host. */
  counts: Record<string, number>
  /** Resolves when so many more requests have come. */
  seen: (n: number) => Promise<void>
  close: () => Promise<void>
}

/**
 * Serves the planted hosts, and misbehaves: of four hours the first attempt is answered 429, 500 with the key, or late,
 * and the preferred host of calls knows nothing of the fourth. Its answers have no header that names their world.
 */
export async function serveFake(): Promise<FakeUpstream> {
  const attempts = new Map<string, number>()
  const counts: Record<string, number> = {}
  const waiting: { left: number; resolve: () => void }[] = []
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => response.destroy(error as Error))
  })
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://x')
    const [, host = ''] = pathname.split('/')
    const body = await bodyOf(request)
    counts[host] = (counts[host] ?? 0) + 1
    for (const one of waiting) if (--one.left === 0) one.resolve()
    const route = `${request.url} ${body}`
    const nth = (attempts.get(route) ?? 0) + 1
    attempts.set(route, nth)
    const call = host === 'planted_pages' ? undefined : (JSON.parse(body) as Call)
    const from_s = call?.params.from ?? Number(searchParams.get('from'))
    const hour = from_s / 3600
    if (nth === 1 && hour % 4 === 0) return end(response, 429, '{}', { 'retry-after': '0' })
    if (nth === 1 && hour % 4 === 1)
      return end(response, 500, `no luck with ${String(request.headers['x-planted-key'])}`)
    if (hour % 4 === 2) await sleep(20)
    if (call === undefined) return end(response, 200, pageOf(from_s), { 'content-type': 'text/html; charset=latin1' })
    if (request.headers['x-planted-key'] !== key) return end(response, 401, 'no key')
    if (hour % 4 === 3 && host === 'planted_calls') return end(response, 403, `not with ${key}`)
    if (from_s === badHour_s) return end(response, 400, JSON.stringify({ error: `bad request by ${key}` }))
    return end(response, 200, JSON.stringify(resultOf(call.params)))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const names = ['planted_pages', 'planted_calls', 'planted_calls_spare']
  return {
    hosts: Object.fromEntries(names.map((name) => [name, `${url}/${name}`])),
    worldName: 'planted',
    counts,
    seen: (n) => new Promise((resolve) => waiting.push({ left: n, resolve })),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

type Call = { params: { from: number; cursor: number } }

const end = (response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, headers).end(Buffer.from(body, 'latin1'))

function pageOf(from_s: number): string {
  const cells = truthOf(from_s).map(({ name, ts, bid }) => [name, ts, bid])
  if (isBroken(from_s)) cells.push(['café-9', 'soon', '0.5'])
  const rows = cells.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join('')}</tr>`)
  return `<html><table>${rows.join('\n')}</table></html>`
}

/** Two rows to a page; JSON of ASCII alone. */
function resultOf({ from, cursor }: Call['params']): unknown {
  const rows: unknown[] = truthOf(from).map((row) => ({ ...row, name: row.name.replace('é', 'e') }))
  if (isBroken(from)) rows.push({ name: 'cafe-9', ts: 'soon', bid: '0.5' })
  return { result: rows.slice(cursor, cursor + 2), next: cursor + 2 < rows.length ? cursor + 2 : null }
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

import { onTestFinished } from 'vitest'

import { createHttp, type HttpOptions } from '#ingest/http/http.ts'
import { tinyHost } from '#test/ingest/tiny.ts'

/** Answers the nth request, from 1. */
export type Handler = (request: IncomingMessage, response: ServerResponse, nth: number) => void

type Served = { url: string; seen: IncomingMessage[]; close: () => Promise<void> }

/** A server that answers the nth request (from 1) by the handler. */
export const serve = async (handler: Handler): Promise<Served> => {
  const seen: IncomingMessage[] = []
  const server = createServer((request, response) => {
    seen.push(request)
    handler(request, response, seen.length)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.closeAllConnections()
      server.close(() => resolve())
    })
  onTestFinished(close)
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen, close }
}

export const json = (response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body))

/** A Get with a clock of its own: sleeping takes no time, and is written down. */
export const client = (
  url: string,
  options: Partial<HttpOptions> & {
    requestsPer10s?: number
    routes?: Record<string, number>
    concurrency?: number
  } = {},
) => {
  const host = {
    ...tinyHost,
    url,
    requestsPer10s: options.requestsPer10s ?? 1e9,
    routes: options.routes ?? {},
    concurrency: options.concurrency ?? 8,
  }
  const slept: number[] = []
  let now_ms = 1_700_000_000_000
  const http = createHttp({
    hosts: { [host.name]: host },
    now_ms: () => now_ms,
    sleep: async (wait_ms) => {
      slept.push(wait_ms)
      now_ms += wait_ms
    },
    random: () => 0.5,
    ...options,
  })
  return { http, slept, now: () => now_ms, wait: (wait_ms: number) => void (now_ms += wait_ms) }
}

/** The body of a request, as text. */
export async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

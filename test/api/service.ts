import { request, type IncomingHttpHeaders } from 'node:http'

import pino from 'pino'
import { Registry } from 'prom-client'
import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { openRequestBuffer } from '#accounts/request_buffer.ts'
import { openSignIn } from '#accounts/sign_in/sign_in.ts'
import { openUsageCounter } from '#accounts/usage.ts'
import { createApp } from '#api/app.ts'
import type { Complete } from '#api/chat/model/choose_plan.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { endpoints as allEndpoints } from '#api/endpoints/index.ts'
import { serve, type Timeouts } from '#api/http/listen.ts'
import type { ReadBalances } from '#api/live/balances.ts'
import type { Bot } from '#api/messaging/bot.ts'
import { openMarts } from '#snapshots/marts.ts'
import type { PublicationName } from '#snapshots/publications.ts'

import { newMartsDir, publish, type SnapshotRows } from './fixture.ts'
import { newStore } from './store.ts'

/** The address of the pages in tests. */
export const pagesUrl = 'http://tapeline.test'

export type Reply = {
  status: number
  headers: IncomingHttpHeaders
  /** Names and values in turn, as they were sent. */
  raw: string[]
  body: Buffer
  text: string
  /** The object or the array of the body, where it is JSON and one of these. */
  json: Record<string, unknown>
  items: Record<string, unknown>[]
}

/** An object of JSON. */
export const fields = z.record(z.string(), z.unknown())

type AskOptions = { method?: string; headers?: Record<string, string>; body?: string }

/** The chains of a test without nodes. */
const noNode: ReadBalances = async ({ chain: { slug } }) => {
  throw new Error(`${slug}: no endpoint; expected one`)
}

/** The time limit of a query. It lies far beyond a query on a busy machine, since no test rests on speed. */
const query_ms = 600_000

/** A running service on its own store and folder of marts, with a clock that the test sets. */
export const startService = async (
  of: {
    rows?: SnapshotRows
    isEmpty?: boolean
    publicUrl?: string
    endpoints?: readonly Endpoint[]
    cache_bytes?: number
    rateFactor?: number
    trustedProxies?: readonly string[]
    /** A busy machine prepares no answer within the usual time. */
    preparing_ms?: number
    timeouts?: Timeouts
    connections?: number
    machineFault?: () => Promise<string | null>
    bots?: readonly Bot[]
    readBalances?: ReadBalances
    complete?: Complete
  } = {},
) => {
  const { home, dir, remove } = await newMartsDir()
  if (!of.isEmpty) await publish(dir, 'first', of.rows)
  const clock = { at: Date.UTC(2026, 2, 1, 12, 1) * 1_000 }
  const now = () => clock.at
  const marts = await openMarts({
    dir,
    now,
    poll_ms: 60_000,
    limit_ms: query_ms,
    preparing_ms: of.preparing_ms ?? 60_000,
  })
  const store = await newStore(home, now)
  const { accounts } = store
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => void lines.push(line) })
  const registry = new Registry()
  const publicUrl = of.publicUrl ?? ''
  const { endpoints = allEndpoints, cache_bytes = 1_000_000, rateFactor = 1, machineFault = async () => null } = of
  const links: { email: string; url: string }[] = []
  const signIn = await openSignIn({ accounts, now, publicUrl: pagesUrl, sendResetLink: (to) => void links.push(to) })
  const usage = openUsageCounter(accounts, now)
  const requests = openRequestBuffer(accounts, now)
  const pages = {
    signIn,
    usage,
    requests,
    pagesUrl,
    trustedProxies: of.trustedProxies ?? [],
    machineFault,
    ...(of.bots ? { bots: of.bots } : {}),
  }
  const { readBalances = noNode } = of
  const parts = {
    marts,
    accounts,
    now,
    registry,
    log,
    publicUrl,
    endpoints,
    cache_bytes,
    rateFactor,
    readBalances,
    ...(of.complete ? { complete: of.complete } : {}),
    ...pages,
  }
  const served = await serve(await createApp(parts), {
    port: 0,
    timeouts: of.timeouts ?? {},
    ...(of.connections === undefined ? {} : { connections: of.connections }),
  })
  const keys = {
    free: await createKey(accounts, { tier: 'free', now: clock.at }),
    pro: await createKey(accounts, { tier: 'pro', now: clock.at }),
    enterprise: await createKey(accounts, { tier: 'enterprise', now: clock.at }),
  }

  /** Asks as an enterprise account, unless the headers say otherwise. */
  const ask = (path: string, options: AskOptions = {}) => askAt(served.port, path, options)

  const askAt = (port: number, path: string, options: AskOptions = {}) =>
    new Promise<Reply>((resolve, reject) => {
      const length = options.body === undefined ? {} : { 'content-length': String(Buffer.byteLength(options.body)) }
      const headers = { authorization: `Bearer ${keys.enterprise}`, ...length, ...options.headers }
      const req = request({ port, host: '127.0.0.1', path, method: options.method ?? 'GET', headers }, (res) => {
        const chunks: Buffer[] = []
        res.on('data', (chunk: Buffer) => chunks.push(chunk))
        res.on('end', () => {
          const body = Buffer.concat(chunks)
          const text = body.toString()
          const isPlain = res.headers['content-encoding'] === undefined && text !== ''
          const isJson = isPlain && res.headers['content-type']?.startsWith('application/json')
          const parsed: unknown = isJson ? JSON.parse(text) : undefined
          const json = fields.safeParse(parsed).data ?? {}
          const items = z.array(fields).safeParse(parsed).data ?? []
          resolve({ status: res.statusCode ?? 0, headers: res.headers, raw: res.rawHeaders, body, text, json, items })
        })
      })
      req.on('error', reject)
      req.end(options.body)
    })

  /** The same service over the same stores, which keeps no answer: each of its answers is made anew. */
  const startUncached = async () => {
    const twin = await serve(await createApp({ ...parts, registry: new Registry(), cache_bytes: 1 }), { port: 0 })
    return { ask: (path: string, options?: AskOptions) => askAt(twin.port, path, options), stop: twin.close }
  }

  const publishNext = async (id: string, rows: SnapshotRows = {}, of?: PublicationName) => {
    await publish(dir, id, rows, of)
    await marts.refresh()
  }

  const stop = async () => {
    await served.close()
    await marts.close()
    await store.close()
    await remove()
  }
  return {
    ...served,
    publish: publishNext,
    dir,
    home,
    marts,
    accounts,
    storeText: store.text,
    clock,
    keys,
    lines,
    registry,
    parts,
    /** The links that reset passwords. */
    links,
    usage,
    requests,
    ask,
    startUncached,
    stop,
  }
}

export type Service = Awaited<ReturnType<typeof startService>>

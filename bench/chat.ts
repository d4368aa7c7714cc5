import { parseArgs } from 'node:util'

import { z } from 'zod'

import { readQuestions } from '#test/api/chat/evaluate.ts'
import { startFixedMart } from '#test/api/chat/fixed_mart.ts'
import type { Service } from '#test/api/service.ts'

import { percentile } from './api/load.ts'

/**
 * The time of questions beside that of the request which each of them makes, over the fixed mart:
 * `npm run bench -- chat [--rounds 10]`. Questions and requests alternate, and both services keep no answers. The last
 * line is `ratio rest <n>`: the 95th percentile of questions over that of their requests.
 */
const { values } = parseArgs({ options: { rounds: { type: 'string', default: '10' } } })

const plan = z.object({ intent: z.string(), slots: z.record(z.string(), z.unknown()) })

/** The request that the answer of a plan makes; null for an answer that makes several or none. */
function requestOf({ intent, slots }: z.output<typeof plan>): string | null {
  const text = (name: string) => (typeof slots[name] === 'string' ? slots[name] : undefined)
  const query = (names: readonly string[]) =>
    new URLSearchParams(
      names.flatMap((name): [string, string][] => (text(name) === undefined ? [] : [[name, text(name) ?? '']])),
    )
  switch (intent) {
    case 'signals':
      return `/v1/signals?${query(['range']).toString()}`
    case 'pm_markets':
      return slots['markets']
        ? '/v1/pm-markets?status=all'
        : `/v1/pm-markets?${query(['platform', 'status']).toString()}`
    case 'pm_traders':
      return `/v1/pm-traders?${query(['sort', 'range']).toString()}`
    case 'discover':
      return `/v1/discover?${query(['chain', 'sort', 'range']).toString()}`
    case 'pm_wallet':
      return `/v1/pm-wallet?${query(['address']).toString()}`
    case 'wallet':
      return `/v1/wallet?${query(['address', 'chain']).toString()}`
    default:
      return null
  }
}

const post = (service: Service, query: string) =>
  service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  })

async function timed<T>(work: () => Promise<T>): Promise<{ took_ms: number; result: T }> {
  const began_ms = performance.now()
  const result = await work()
  return { took_ms: performance.now() - began_ms, result }
}

const service = await startFixedMart({ cache_bytes: 1, rateFactor: 1_000 })
try {
  const took: Record<'chat' | 'rest', number[]> = { chat: [], rest: [] }
  const questions = await readQuestions('known')
  // The first round compiles the code.
  for (let round = 0; round <= Number(values.rounds); round++) {
    for (const { question } of questions) {
      const chat = await timed(() => post(service, question))
      const made = plan.parse(
        JSON.parse(Buffer.from(String(chat.result.headers['x-chat-plan']), 'base64url').toString()),
      )
      const path = requestOf(made)
      if (path === null) continue
      const rest = await timed(() => service.ask(path))
      if (rest.result.status !== 200) throw new Error(`${path}: ${rest.result.status}; expected 200`)
      if (round === 0) continue
      took.chat.push(chat.took_ms)
      took.rest.push(rest.took_ms)
    }
  }
  for (const side of ['chat', 'rest'] as const) {
    const [p50, p95] = [percentile(took[side], 0.5), percentile(took[side], 0.95)]
    console.log(`${side} ${took[side].length} requests, p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`)
  }
  console.log(`ratio rest ${(percentile(took.chat, 0.95) / percentile(took.rest, 0.95)).toFixed(2)}`)
} finally {
  await service.stop()
}

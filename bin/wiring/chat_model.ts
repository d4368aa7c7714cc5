import { z } from 'zod'

import type { Complete } from '#api/chat/model/choose_plan.ts'
import type { Config } from '#config.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Json } from '#ingest/http/request.ts'
import { DAY, machineClock, machineTimers } from '#time.ts'

const host = 'chat_model'
/** A person waits for the answer, and the rules answer if the model does not. */
const defaultTimeout_ms = 5_000
const mostTokens = 300
const mostRequestsADay = 5_000

const toolCall = z.object({
  id: z.string().default('call'),
  type: z.literal('function').default('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
})

const completion = z.object({
  choices: z.array(z.object({ message: z.object({ tool_calls: z.array(toolCall).nullish() }) })).min(1),
})

/**
 * The language model of the settings, for `openAssistant`; empty without one. A request is sent once, has at most 300
 * tokens as its answer, and ends after five seconds. A process sends at most 5,000 a day.
 */
export function chatModelOf(
  { chatModel }: Pick<Config, 'chatModel'>,
  { timeout_ms = defaultTimeout_ms }: { timeout_ms?: number } = {},
): { complete?: Complete } {
  if (chatModel === undefined) return {}
  const { url, model, key } = chatModel
  const secret = { setting: 'CHAT_API_KEY', doc: url, in: 'header', name: 'authorization', prefix: 'Bearer ' } as const
  const declared = { name: host, doc: 'The language model', url, requestsPer10s: 100, concurrency: 4 }
  const http = createHttp({
    ...machineTimers,
    random: Math.random,
    hosts: {
      [host]: key === undefined ? declared : { ...declared, secret: { ...secret, withoutKey: 'missing' }, key },
    },
    limits: { attempts: 1, timeout_ms, body_bytes: 1024 * 1024 },
  })
  const spend = countByDay()
  const complete: Complete = async ({ messages, tools }) => {
    if (!spend()) throw new Error(`chat model: ${mostRequestsADay} requests of today sent; expected fewer`)
    const body = { model, messages, tools, tool_choice: 'auto', temperature: 0, max_completion_tokens: mostTokens }
    const request = { host, path: '/chat/completions', method: 'POST', isIdempotent: false, attempts: 1 } as const
    const { choices } = await http({ ...request, body: body as unknown as Json }, completion)
    return { tool_calls: choices[0]?.message.tool_calls ?? [] }
  }
  return { complete }
}

/** Counts requests of a day; false once they are spent. */
const countByDay = () => {
  const count = { day: -1, n: 0 }
  return (): boolean => {
    const day = Math.floor(machineClock() / DAY)
    if (day !== count.day) Object.assign(count, { day, n: 0 })
    count.n++
    return count.n <= mostRequestsADay
  }
}

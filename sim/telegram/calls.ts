import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import type { Attempt } from './chats.ts'
import { rejection, type Answer, type Disturbance, type Fault } from './faults.ts'

type Body = Record<string, unknown>

/** The methods of a Bot API by their names. `gone` ends with the connection of the caller. */
export type Methods = Record<string, (body: Body, gone: AbortSignal) => Answer | Promise<Answer>>

/** The planned disturbance of a call; null without one. */
export type Disturb = (method: string, body: Body) => Disturbance | null

type AttemptListener = (attempt: Attempt, caller: string) => void

/** The calls of a Bot API: they succeed, fail as planned, or are disturbed. */
export function createCalls(parts: {
  token: string
  methods: Methods
  disturb: Disturb
  listeners: AttemptListener[]
}) {
  const { token, methods, disturb, listeners } = parts
  const planned = new Map<string, (Fault | null)[]>()
  const counts = new Map<string, number>()
  const lost = new Map<string, number>()

  const disturbanceOf: Disturb = (name, body) => {
    const fault = planned.get(name)?.shift() ?? null
    if (fault !== null) return { kind: 'rejected', fault }
    const n_lost = lost.get(name) ?? 0
    if (n_lost === 0) return disturb(name, body)
    lost.set(name, n_lost - 1)
    return { kind: 'lost' }
  }

  const perform = async (
    name: string,
    body: Body,
    { suppliedToken, gone }: { suppliedToken: string; gone: AbortSignal },
  ) => {
    const method = Object.hasOwn(methods, name) ? methods[name] : undefined
    if (suppliedToken !== token) return { answer: rejection(401, 'Unauthorized'), kind: null }
    if (method === undefined) return { answer: rejection(404, 'Not Found'), kind: null }
    const disturbance = disturbanceOf(name, body)
    if (disturbance?.kind === 'rejected') {
      const { status, description, retry_after } = disturbance.fault
      return { answer: rejection(status, description, retry_after), kind: null }
    }
    if (disturbance?.kind === 'cut' || disturbance?.kind === 'unanswered')
      return { answer: null, kind: disturbance.kind }
    const answer = await method(body, gone)
    // A rejection has no effect that a lost answer could hide.
    return { answer, kind: answer.ok ? (disturbance?.kind ?? null) : null }
  }

  /** Answers the call of a path: `[, caller, token, method]`. */
  const respond = async (
    request: IncomingMessage,
    response: ServerResponse,
    [, caller = '', suppliedToken = '', name = '']: readonly string[],
  ): Promise<void> => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    const body = JSON.parse((await text(request)) || '{}') as Body
    counts.set(name, (counts.get(name) ?? 0) + 1)
    const { answer, kind } = await perform(name, body, { suppliedToken, gone: gone.signal })
    if (name === 'sendMessage') {
      const outcome = kind ?? (answer?.ok === false ? `${answer.error_code} ${answer.description}` : 'delivered')
      const attempt = { chat_id: Number(body['chat_id']), text: String(body['text']), outcome }
      for (const listener of listeners) listener(attempt, caller)
    }
    if (kind === 'cut' || kind === 'lost') response.destroy()
    if (answer === null || kind !== null) return
    response.writeHead(answer.ok ? 200 : answer.error_code, { 'content-type': 'application/json' })
    response.end(JSON.stringify(answer))
  }

  return {
    respond,
    fail: (method: string, ...faults: (Fault | null)[]): void =>
      void planned.set(method, [...(planned.get(method) ?? []), ...faults]),
    loseAnswers: (method: string, n: number): void => void lost.set(method, n),
    count: (method: string): number => counts.get(method) ?? 0,
  }
}

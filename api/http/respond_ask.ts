import type { IncomingMessage } from 'node:http'

import type { Caller } from '#accounts/keys.ts'
import type { Ask } from '#api/chat/asked.ts'
import { readBody } from '#api/contract/body.ts'
import type { AskEndpoint, RateState } from '#api/contract/endpoint.ts'
import { negotiate, serialize } from '#api/contract/format.ts'
import { parseQuery } from '#api/contract/parameters.ts'

import type { Together } from './fair_share.ts'
import type { PrivateAnswer } from './respond_private.ts'
import type { SpendChat } from './spend_chat.ts'

/** Answers a question. Throws a 406, 413, 415, 400 or 429, and the errors of the reads that it makes. */
export function createAskResponder({ ask, spendChat, asOneOf }: { ask: Ask; spendChat: SpendChat; asOneOf: Together }) {
  return async (
    endpoint: AskEndpoint,
    req: IncomingMessage,
    { caller, rate, search }: { caller: Caller; rate: RateState; search: string },
  ): Promise<PrivateAnswer> => {
    const format = negotiate(endpoint, req.headers.accept)
    const question = await readBody(req, endpoint.body.schema)
    parseQuery(endpoint.parameters, search)
    await spendChat(caller)
    const { body, headers } = await asOneOf(caller.account_id, () => endpoint.ask(question, { ask, caller, rate }))
    return {
      status: 200,
      headers: [['Content-Type', `${format}; charset=utf-8`], ...headers],
      body: serialize(format, endpoint, body),
    }
  }
}

import type { IncomingMessage } from 'node:http'

import type { Caller } from '#accounts/keys.ts'
import type { Spend } from '#accounts/shared_windows.ts'
import { tiers } from '#accounts/tiers.ts'
import type { As, Ask, AskEndpoint } from '#api/contract/endpoint.ts'
import { negotiate, serialize } from '#api/contract/format.ts'
import { readBody, parseQuery } from '#api/contract/input.ts'
import type { PrivateAnswer } from '#api/http/answer_private.ts'
import { tooMany, type Together } from '#api/http/authenticate.ts'

/** Counts a question against the limit of its account. Throws a 429. */
export type SpendChat = (caller: Caller) => Promise<void>

/** Questions have windows of their own beside those of requests. */
export const openSpendChat =
  (spend: Spend, rateFactor: number): SpendChat =>
  async ({ account_id, tier }) => {
    const limit = tiers[tier].chats * rateFactor
    const { isOver, reset_s } = await spend(`chat ${account_id}`, limit)
    if (isOver) throw tooMany(`chat limit: ${limit} questions a minute of this account used`, reset_s)
  }

/** Answers a question. Throws a 406, 413, 415, 400 or 429, and the errors of the reads that it makes. */
export function createAskResponder({ ask, spendChat, asOneOf }: { ask: Ask; spendChat: SpendChat; asOneOf: Together }) {
  return async (
    endpoint: AskEndpoint,
    req: IncomingMessage,
    { search, ...as }: As & { search: string },
  ): Promise<PrivateAnswer> => {
    const format = negotiate(endpoint, req.headers.accept)
    const question = await readBody(req, endpoint.body.schema)
    parseQuery(endpoint.parameters, search)
    await spendChat(as.caller)
    const { body, headers } = await asOneOf(as.caller.account_id, () => endpoint.ask(question, { ask, ...as }))
    return {
      status: 200,
      headers: [['Content-Type', `${format}; charset=utf-8`], ...headers],
      body: serialize(format, endpoint, body),
    }
  }
}

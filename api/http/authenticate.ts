import type { IncomingMessage } from 'node:http'

import type { Keyring } from '#accounts/keyring.ts'
import type { Caller } from '#accounts/keys.ts'
import { tiers } from '#accounts/tiers.ts'
import { ApiError } from '#api/contract/errors.ts'
import type { Clock } from '#time.ts'

import { networkOf } from './client_network.ts'
import { rateHeaders } from './headers.ts'
import { countByMinute } from './rate_limit.ts'
import type { Exchange } from './request_context.ts'

/** Lets a request in: at once where its key is known, else after asking the store. Throws a 401 or 429. */
export type Guard = (req: IncomingMessage, exchange: Exchange) => void | Promise<void>

const failuresAMinute = 100

/** Finds out who asks and takes the request from their quota; whoever tries many keys is turned away. */
export function guard(keyring: Keyring, now: Clock): Guard {
  const spend = countByMinute(now)
  const fail = countByMinute(now)

  const refuse = (req: IncomingMessage) => {
    const { isOver, reset_s } = fail(networkOf(req.socket.remoteAddress ?? ''), failuresAMinute)
    if (isOver) throw tooMany('Too many keys that are not valid came from this network address', reset_s)
    throw unauthorized('The key is not valid, or was revoked')
  }

  const enter = (caller: Caller, exchange: Exchange) => {
    const limit = tiers[caller.tier].requests
    const allowance = spend(caller.account_id, limit)
    exchange.caller = caller
    exchange.lead.push(...rateHeaders(caller.tier, limit, allowance))
    if (allowance.isOver) throw tooMany(`The ${limit} requests a minute of this account are spent`, allowance.reset_s)
  }

  return (req, exchange) => {
    const key = bearer(req.headers.authorization)
    if (key === null) throw unauthorized('The key is missing')
    const found = keyring(key)
    if (found instanceof Promise) return found.then((caller) => (caller ? enter(caller, exchange) : refuse(req)))
    return found ? enter(found, exchange) : refuse(req)
  }
}

export const unauthorized = (fault: string) =>
  new ApiError('unauthorized', `${fault}; send the header "Authorization: Bearer <API key>".`, {
    'WWW-Authenticate': 'Bearer',
  })

const tooMany = (fault: string, reset_s: number) =>
  new ApiError('rate_limit_exceeded', `${fault}; wait ${reset_s} s before you try again.`, {
    'Retry-After': String(reset_s),
  })

const bearer = (authorization: string | undefined): string | null =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null

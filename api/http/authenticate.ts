import type { IncomingMessage } from 'node:http'

import type { Keyring } from '#accounts/keyring.ts'
import type { Caller } from '#accounts/keys.ts'
import type { Allowance, Spend } from '#accounts/shared_windows.ts'
import { tiers, type EndpointName } from '#accounts/tiers.ts'
import type { UsageCounter } from '#accounts/usage.ts'
import { isVisitor, mayCall, visitorOf, visitors } from '#accounts/visitors.ts'
import { ApiError, overloaded } from '#api/contract/errors.ts'
import { isLasting, type Clock } from '#time.ts'

import { networkOf, type ClientAddress } from './client_address.ts'
import type { RequestContext } from './request.ts'
import { rateHeaders } from './respond.ts'

/** Authenticates a request: at once if its key was verified recently, else after a lookup. Throws a 401 or 429. */
export type Authenticate = (req: IncomingMessage, context: RequestContext) => void | Promise<void>

const minute_us = 60_000_000
const failuresAMinute = 100
/** Lookups of keys that a network with too many invalid keys still has, beside those of keys that were valid before. */
const lookupsAMinute = 1_000

/**
 * Finds the caller and counts the request against the account's limit. Many invalid keys from one network return a 429.
 */
export function openAuthenticate(parts: {
  keyring: Keyring
  usage: Pick<UsageCounter, 'count'>
  spend: Spend
  now: Clock
  clientAddress: ClientAddress
  /** Multiplies the requests a minute of every tier. */
  rateFactor: number
  /** Whether visitors may enter. */
  publicReading: boolean
  /** Called with a network at its last invalid key of a minute that is answered with a 401. */
  onGuesses: (network: string) => void
}): Authenticate {
  const { keyring, usage, spend, now, clientAddress, rateFactor, publicReading, onGuesses } = parts
  const failures = openFailures(now)
  const spendVisit = countByMinute(now)

  const refuse = (req: IncomingMessage) => {
    const network = networkOf(clientAddress(req))
    const { isOver, remaining, reset_s } = failures.fail(network)
    if (isOver) throw tooManyKeys(reset_s)
    if (remaining === 0) onGuesses(network)
    throw unauthorized('key: invalid or revoked')
  }

  /** Visitors have no row in the store, so each process counts them alone. */
  const enterVisitor = (req: IncomingMessage, context: RequestContext) => {
    const limit = visitors.requests * rateFactor
    const network = networkOf(clientAddress(req))
    const allowance = spendVisit(network, limit)
    context.caller = visitorOf(network)
    context.rate = { limit, ...allowance }
    context.rateHeaders = rateHeaders('visitor', limit, allowance)
    if (allowance.isOver)
      throw tooMany(`rate limit: ${limit} requests a minute of this network used`, allowance.reset_s)
  }

  const enter = (req: IncomingMessage, caller: Caller, context: RequestContext) => {
    if (isVisitor(caller)) return publicReading ? enterVisitor(req, context) : refuse(req)
    const limit = tiers[caller.tier].requests * rateFactor
    const allowance = spend(caller.account_id, limit)
    if (allowance instanceof Promise) return allowance.then((settled) => admit(caller, context, { limit, ...settled }))
    return admit(caller, context, { limit, ...allowance })
  }

  const admit = (caller: Caller, context: RequestContext, allowance: Allowance & { limit: number }) => {
    const { limit } = allowance
    context.caller = caller
    context.rate = allowance
    context.rateHeaders = rateHeaders(caller.tier, limit, allowance)
    usage.count(caller, allowance.isOver)
    if (allowance.isOver)
      throw tooMany(`rate limit: ${limit} requests a minute of this account used`, allowance.reset_s)
  }

  return (req, context) => {
    const key = bearer(req.headers.authorization)
    if (key === null)
      throw unauthorized(req.headers.authorization === undefined ? 'key: missing' : 'Authorization: invalid value')
    if (failures.areMany() && keyring.isStranger(key)) failures.assertLookup(networkOf(clientAddress(req)))
    const lookup = keyring.find(key)
    if (lookup instanceof Promise) return lookup.then((caller) => (caller ? enter(req, caller, context) : refuse(req)))
    return lookup ? enter(req, lookup, context) : refuse(req)
  }
}

/**
 * Counts the invalid keys of networks by the minute. A network that has exceeded the limit gets further lookups for its
 * other callers, but not without an end, since each reads the store.
 */
function openFailures(now: Clock) {
  const [countFailure, countLookup] = [countByMinute(now), countByMinute(now)]
  let over = { network: new Set<string>(), until: 0 }
  const isPast = (): boolean => !isLasting(over.until, now(), minute_us)
  return {
    fail: (network: string): Allowance => {
      const allowance = countFailure(network, failuresAMinute)
      const until = now() + allowance.reset_s * 1_000_000
      if (isPast()) over = { network: new Set(), until }
      if (allowance.isOver) over.network.add(network)
      return allowance
    },
    /** Whether some network has exceeded the limit in this minute. */
    areMany: (): boolean => over.network.size > 0 && !isPast(),
    assertLookup: (network: string): void => {
      if (!over.network.has(network)) return
      const { isOver, reset_s } = countLookup(network, lookupsAMinute)
      if (isOver) throw tooManyKeys(reset_s)
    },
  }
}

const tooManyKeys = (reset_s: number) => tooMany('keys: too many invalid keys from this network address', reset_s)

/** Throws a 403 if the tier of the caller does not include the endpoint. Every way to an endpoint asks here. */
export function assertMayUse(caller: Caller, name: EndpointName): void {
  if (mayCall(caller, name)) return
  if (isVisitor(caller)) throw new ApiError('forbidden', `${name}: not for visitors; expected an account.`)
  throw new ApiError('forbidden', `${name}: not in the tier "${caller.tier}"; expected a tier that includes it.`)
}

export const unauthorized = (fault: string) =>
  new ApiError('unauthorized', `${fault}; expected the header "Authorization: Bearer <API key>".`, {
    'WWW-Authenticate': 'Bearer',
  })

/** A 429. */
export const tooMany = (fault: string, reset_s: number) =>
  new ApiError('rate_limit_exceeded', `${fault}; expected a retry after ${reset_s} s.`, {
    'Retry-After': String(reset_s),
  })

/** The key of a request; null without one. The usual spelling needs no regular expression. */
export const bearer = (authorization: string | undefined): string | null =>
  authorization?.startsWith('Bearer tl_') === true && !authorization.includes(' ', 7)
    ? authorization.slice(7)
    : spelledBearer(authorization)

const spelledBearer = (authorization: string | undefined): string | null =>
  /^Bearer +(\S+) *$/i.exec(authorization ?? '')?.[1] ?? null

const window_us = 60_000_000

/** Counts requests per name in fixed windows of one minute, aligned to the minutes of the clock. */
export function countByMinute(now: Clock): (name: string, limit: number) => Allowance {
  let minute = -1
  let counts = new Map<string, number>()
  return (name, limit) => {
    const at = now()
    const current = Math.floor(at / window_us)
    if (current !== minute) {
      minute = current
      counts = new Map()
    }
    const n = (counts.get(name) ?? 0) + 1
    counts.set(name, n)
    const reset_s = Math.ceil(((current + 1) * window_us - at) / 1_000_000)
    return { remaining: Math.max(0, limit - n), reset_s, isOver: n > limit }
  }
}

/** Runs work of a name. Throws a 503 if that name has reached the limit. */
export type Together = <T>(name: string, work: () => Promise<T>) => Promise<T>

/**
 * Limits the work of each name that runs or waits at one moment. Work counts until it ends, which is soon after its
 * caller has gone.
 */
export function limitTogether(most: number): Together {
  const counts = new Map<string, number>()
  return async (name, work) => {
    const n = counts.get(name) ?? 0
    if (n >= most) throw overloaded(`${most} uncached reads of this account are running`)
    counts.set(name, n + 1)
    try {
      return await work()
    } finally {
      const left = (counts.get(name) ?? 1) - 1
      if (left === 0) counts.delete(name)
      else counts.set(name, left)
    }
  }
}

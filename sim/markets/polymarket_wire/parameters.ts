import { systemAddresses } from '#sim/markets/types.ts'
import { list, param, whole, type Instant } from '#sim/server/reply.ts'

/** Parameters of the Data API, version 2. An invalid one throws `BadParameter`. */

export class BadParameter extends Error {
  parameter: string
  constructor(parameter: string, message: string) {
    super(message)
    this.parameter = parameter
  }
}

const maxConditions = 20

export function limitOf(query: URLSearchParams): number {
  const limit = whole(param(query, 'limit')) ?? 100
  if (Number.isNaN(limit) || limit < 1) throw new BadParameter('limit', 'limit must be a positive whole number')
  return limit
}

/** Both ends are included; the default start is three years back. */
export function windowOf(query: URLSearchParams, at: Instant): { from_s: number; to_s: number } {
  const start = whole(param(query, 'start'))
  const end = whole(param(query, 'end'))
  if (Number.isNaN(start)) throw new BadParameter('start', 'start must be epoch seconds')
  if (Number.isNaN(end)) throw new BadParameter('end', 'end must be epoch seconds')
  const threeYears_s = 3 * 365 * 86_400
  return {
    from_s: start === undefined || start === 0 ? at.now_s - threeYears_s : start,
    to_s: end === undefined || end === 0 ? at.seen_s : Math.min(at.seen_s, end),
  }
}

export function conditionsOf(query: URLSearchParams): string[] {
  const ids = list(query, 'condition', 'condition_id', 'conditionId')
  const conditions = [...new Set(ids.map((id) => id.toLowerCase()))]
  if (conditions.length > maxConditions) throw new BadParameter('condition', `at most ${maxConditions} conditions`)
  // Ids of Protocol V2 are padded to 32 bytes.
  if (conditions.some((id) => !/^0x[0-9a-f]{64}$/.test(id))) throw new BadParameter('condition', 'invalid condition id')
  return conditions
}

/** An address, lower-case; the venue's own contracts are rejected. */
export function userOf(query: URLSearchParams): string {
  const user = query.get('user')?.toLowerCase()
  if (user === undefined) throw new BadParameter('user', "required query param 'user' not provided")
  if (!/^0x[0-9a-f]{40}$/.test(user)) throw new BadParameter('user', 'invalid address')
  if (systemAddresses.some((address) => address === user))
    throw new BadParameter('user', "'user' is a known protocol contract address")
  return user
}

/** The least value of a shown trade, in shares or in dollars (millionths): a hundredth by default. */
export function floorOf(query: URLSearchParams): { isShares: boolean; least: number } {
  const type = param(query, 'filter_type', 'filterType')?.toUpperCase() ?? 'TOKENS'
  if (type !== 'CASH' && type !== 'TOKENS') throw new BadParameter('filter_type', 'filter_type must be CASH or TOKENS')
  const amount = Number(param(query, 'filter_amount', 'filterAmount') ?? 0)
  if (!(amount >= 0)) throw new BadParameter('filter_amount', 'filter_amount must be a number from 0 on')
  // 0 means the default.
  return { isShares: type === 'TOKENS', least: (amount === 0 ? 0.01 : amount) * 1_000_000 }
}

const feedTypes = new Set([
  'TRADE', 'SPLIT', 'MERGE', 'REDEEM', 'CONVERSION', 'MIGRATION', 'REWARD', 'YIELD', 'MAKER_REBATE', 'TAKER_REBATE',
  'REFERRAL_REWARD', 'DEPOSIT', 'WITHDRAWAL', 'TIP',
]) // prettier-ignore

/** The requested types; empty means all. */
export function typesOf(query: URLSearchParams): Set<string> {
  const types = new Set(list(query, 'type').map((type) => type.toUpperCase()))
  for (const type of types) if (!feedTypes.has(type)) throw new BadParameter('type', `unknown type ${type}`)
  return types
}

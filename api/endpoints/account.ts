import { z } from 'zod'

import { followingOf, messagingOf, type Messaging } from '#accounts/profile.ts'
import { tierNames, tiers } from '#accounts/tiers.ts'
import { showAddress } from '#api/contract/address.ts'
import { definePrivate } from '#api/contract/define.ts'
import { messengerIds, messengers, shownHandle } from '#api/messaging/messengers.ts'
import type { Snapshot } from '#snapshots/marts.ts'

import { chainHistory, readHistories } from './chain_history.ts'

const count = (about: string) => z.int().min(0).meta({ description: about })

const account = z
  .strictObject({
    tier: z.enum(tierNames).meta({ description: 'The tier of the account' }),
    rate_limit: z.strictObject({
      limit: count('Requests a minute'),
      remaining: count('Requests left in the current window, after this one'),
      reset: count('Whole seconds until the window ends'),
    }),
    endpoints: z.array(z.string()).meta({ description: 'The endpoints of the tier' }),
    messaging: z.strictObject({
      platform: z.enum(messengerIds).meta({ description: 'The messaging app' }),
      handle: z.string().nullable().meta({ description: 'The handle that the person entered; null before' }),
      linked: z.boolean().meta({ description: 'Whether alerts can be delivered' }),
    }),
    following: z.array(z.string()).meta({ description: 'The addresses that watchlists and alerts follow, each once' }),
    coverage: z.strictObject({
      chains: count('Chains with stored data'),
      read_chains: z
        .array(z.strictObject({ chain: z.string().meta({ description: 'The slug of the chain' }), ...chainHistory }))
        .meta({ description: 'The chains with stored trades, since when, and what has no price on them' }),
      venues: count('Prediction market venues with stored data'),
      social_sources: count('Social sources with stored data'),
      data_as_of: z.iso
        .datetime()
        .nullable()
        .meta({ description: 'The instant of the figures; null before the first' }),
    }),
  })
  .meta({ id: 'Account' })

export const accountEndpoint = definePrivate({
  path: '/account',
  summary: 'The account of the key',
  doc: `Returns the tier of the account, its rate limit, its endpoints, its messaging account and the addresses that it
follows. All keys of an account share the limit; the request itself counts. \`coverage\` counts what this installation
has stored.`,
  query: {},
  isArray: false,
  item: account,
  example: {
    tier: 'pro',
    rate_limit: { limit: 600, remaining: 598, reset: 41 },
    endpoints: ['GET /feed', 'GET /account'],
    messaging: { platform: messengers[0].id, handle: '@ann', linked: true },
    following: [],
    coverage: {
      chains: 1,
      read_chains: [{ chain: 'base', since: '2026-01-01T00:00:11.000Z', unpriced: null }],
      venues: 3,
      social_sources: 0,
      data_as_of: '2026-01-31T12:00:00.000Z',
    },
  },
  read: async (_query, { caller: { account_id, tier }, accounts, rate, scores }) => {
    const body = {
      tier,
      rate_limit: { limit: rate.limit, remaining: rate.remaining, reset: rate.reset_s },
      endpoints: [...tiers[tier].endpoints],
      messaging: presentMessaging(await messagingOf(accounts, account_id)),
      following: (await followingOf(accounts, account_id)).map(showAddress),
      coverage: await coverageOf(scores),
    }
    return { body, headers: [] }
  },
})

const presentMessaging = (messaging: Messaging | null) =>
  messaging === null
    ? { platform: messengers[0].id, handle: null, linked: false }
    : { ...messaging, handle: shownHandle(messaging.platform, messaging.handle) }

const kinds = z.array(z.object({ kind: z.string(), n: z.number() }))

type StoredCoverage = Omit<z.output<typeof account>['coverage'], 'data_as_of'>

/** The coverage of each snapshot, read once: it does not depend on the account. A failed read is not kept. */
const coverages = new WeakMap<Snapshot, Promise<StoredCoverage>>()

async function coverageOf(scores: Snapshot | null): Promise<z.output<typeof account>['coverage']> {
  if (scores === null) return { chains: 0, read_chains: [], venues: 0, social_sources: 0, data_as_of: null }
  const read = coverages.get(scores) ?? readCoverage(scores)
  coverages.set(scores, read)
  read.catch(() => coverages.delete(scores))
  return { ...(await read), data_as_of: new Date(scores.asOf / 1_000).toISOString() }
}

async function readCoverage(scores: Snapshot): Promise<StoredCoverage> {
  const rows = await scores.query(
    `select kind, count(distinct part)::integer as n from marts.coverage where n_rows > 0 group by kind`,
  )
  const counts = new Map(kinds.parse(rows).map(({ kind, n }) => [kind, n]))
  return {
    chains: counts.get('chain') ?? 0,
    read_chains: await readHistories(scores),
    venues: counts.get('venue') ?? 0,
    social_sources: counts.get('social') ?? 0,
  }
}

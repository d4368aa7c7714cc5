import { z } from 'zod'

import { listDeadLetters, replayDeadLetters } from '#accounts/alerts/dead_letters.ts'

import { defineRoute, isoTime, type PortalRoute } from './portal_route.ts'

/** The most dead letters of an answer. */
const mostShown = 200

/** The routes of messages that were given up: they are shown, and sent again. */
export const deadLetterRoutes: readonly PortalRoute[] = [
  defineRoute({
    method: 'GET',
    path: '/api/dead-letters',
    body: null,
    query: {},
    respond: async (_request, { accounts, session: { account_id } }) => {
      const letters = await listDeadLetters(accounts, account_id, mostShown)
      const body = letters.map(({ position, dead_at, ...letter }) => ({
        id: position,
        ...letter,
        dead_at: isoTime(dead_at),
      }))
      return { status: 200, body }
    },
  }),
  /** Sends one message again, or all of them. */
  defineRoute({
    method: 'POST',
    path: '/api/dead-letters/replay',
    body: z.strictObject({ id: z.int('expected the id of a dead letter').min(1).optional() }),
    query: {},
    respond: async ({ body: { id } }, { accounts, session: { account_id }, now }) => ({
      status: 200,
      body: { replayed: await replayDeadLetters(accounts, { account_id, position: id, now }) },
    }),
  }),
]

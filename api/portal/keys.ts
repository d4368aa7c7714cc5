import { z } from 'zod'

import { addKey, maxKeys, regenerateKey, removeKey, type KeyChange } from '#accounts/account_keys.ts'
import type { NewKey } from '#accounts/keys.ts'
import type { Session } from '#accounts/sign_in/sign_in.ts'
import { ApiError } from '#api/contract/errors.ts'

import {
  defineRoute,
  givenName,
  isoTime,
  type PortalAnswer,
  type PortalContext,
  type PortalRoute,
} from './portal_route.ts'

const idForm = 'expected the id of a key'
const id = z.string(idForm).regex(/^[!-~]{1,64}$/, idForm)

/** The routes that create, regenerate and revoke the keys of the signed-in person. */
export const keyRoutes: readonly PortalRoute[] = [
  defineRoute({
    method: 'POST',
    path: '/api/keys',
    body: z.strictObject({ name: givenName }),
    query: {},
    respond: async ({ body }, context) => {
      const key = await addKey(context.accounts, changeOf(context), body.name)
      if (key) return created(key)
      throw new ApiError('limit_reached', `keys: ${maxKeys} valid keys exist; expected fewer before a new one.`)
    },
  }),
  defineRoute({
    method: 'POST',
    path: '/api/keys/regenerate',
    body: z.strictObject({ id }),
    query: {},
    respond: async ({ body }, context) => {
      const key = await regenerateKey(context.accounts, changeOf(context), body.id)
      if (key) return created(key)
      throw unknownKey()
    },
  }),
  defineRoute({
    method: 'DELETE',
    path: '/api/keys',
    body: null,
    query: { id },
    respond: async ({ query }, context) => {
      if (await removeKey(context.accounts, changeOf(context), query.id))
        return { status: 200, body: { deleted: true, id: query.id } }
      throw unknownKey()
    },
  }),
]

const changeOf = ({ session, network, now }: PortalContext & { session: Session }): KeyChange => ({
  account_id: session.account_id,
  actor: 'person',
  network,
  now,
})

const created = ({ created_at, ...key }: NewKey): PortalAnswer => ({
  status: 201,
  body: { ...key, created_at: isoTime(created_at) },
})

/** A key of another account is unknown too. */
const unknownKey = () => new ApiError('not_found', 'id: unknown; expected the id of a valid key of this account.')

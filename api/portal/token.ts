import { defineRoute, isoTime } from './define.ts'

/**
 * `POST /api/token`: a bearer token for `/v1`, valid for 15 minutes or until the session ends. It has the account, the
 * tier and the limits of a key, so that a page needs none.
 */
export const token = defineRoute({
  method: 'POST',
  path: '/api/token',
  body: null,
  query: {},
  respond: async (_request, { tokens, session, now }) => {
    const minted = tokens.mint(session.id, now)
    return { status: 201, body: { token: minted.token, expires_at: isoTime(minted.expires_at) } }
  },
})

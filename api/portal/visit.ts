import { tiers } from '#accounts/tiers.ts'
import { visitorSession } from '#accounts/visitors.ts'

import { definePublicRoute } from './portal_route.ts'
import { tierOf } from './settings.ts'

/**
 * `POST /api/visit`: how the page of a person reads `/v1`. `token` is the bearer token of visitors, for 15 minutes; null
 * if the installation has none. `account` has the tier of a signed-in person; null of a visitor.
 */
export const visit = definePublicRoute({
  method: 'POST',
  path: '/api/visit',
  body: null,
  query: {},
  respond: async (_request, { accounts, signIn, tokens, publicReading, cookie, now }) => {
    const session = await signIn.session(cookie)
    const tier = session && (await tierOf(accounts, session.account_id))
    const body = {
      token: publicReading ? tokens.mint(visitorSession, now).token : null,
      account: tier && { tier, endpoints: tiers[tier].endpoints },
    }
    return { status: 201, body, cookies: session?.cookies ?? [] }
  },
})

import { deadLetterRoutes } from './dead_letters.ts'
import { keyRoutes } from './keys.ts'
import { messagingRoutes } from './messaging.ts'
import type { PortalRoute } from './portal_route.ts'
import { settings, token, usage } from './settings.ts'
import { signInRoutes } from './sign_in.ts'
import { visit } from './visit.ts'

/**
 * The routes of our own pages, which a session cookie signs in. They are no part of the public API: only the pages of
 * this service call them, and they change together. A new route is a file and a line here.
 */
export const portalRoutes: readonly PortalRoute[] = [
  ...signInRoutes,
  settings,
  usage,
  ...keyRoutes,
  ...messagingRoutes,
  ...deadLetterRoutes,
  token,
  visit,
]

export { originsOf, routePortal } from './route_portal.ts'
export type { PortalParts } from './portal_route.ts'

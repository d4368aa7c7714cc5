import { listDrifts, pagesOf } from './lists.ts'
import { damages, fieldsOf, routes, type Route } from './routes.ts'
import type { Case, TimedDrift } from './stored_facts.ts'
import { answering, onRoute, type Drift } from './upstream.ts'
import { venues } from './venues.ts'

const polymarket = {
  venue: 'polymarket',
  scale: 0.02,
  read: ['polymarket_markets', 'polymarket_resolutions', 'polymarket_trades', 'polymarket_activity', 'polymarket_odds'],
  fields: routes,
  limits: {},
}

/** The three venues with the routes of their sources. Worlds are small, since each case reads all of a source. */
export const driftingVenues = [
  ...venues.map((venue) => ({ ...venue, scale: venue.venue === 'limitless' ? 0.03 : venue.scale })),
  polymarket,
]

/** Moves the clock that the upstream states. */
const clockOff =
  (by_ms: number): TimedDrift =>
  (_, reply, now_ms) => ({ ...reply, headers: { ...reply.headers, date: new Date(now_ms + by_ms).toUTCString() } })

type Size = { fields: number; kinds: readonly string[]; others: readonly string[]; modesOf: ModesOf }
type Mode = Pick<Case, 'isRefresh' | 'isLater'>

/** A fault of a route: `turn` is the place of the route among those of its venue, `n` that of the fault in its list. */
type Fault = { name: string; isGrave: boolean; turn: number; n: number }

/** The modes in which a fault of a route is tried. */
type ModesOf = (fault: Fault) => readonly Mode[]

export const modes: readonly Mode[] = [
  { isRefresh: true, isLater: false },
  { isRefresh: false, isLater: false },
  { isRefresh: true, isLater: true },
  { isRefresh: false, isLater: true },
]

/** The faults that every route has: the guard is about these. */
const common = /^(.* renamed|shows nothing|lists half of its rows)$/

/**
 * A mode for each common fault of a route, and for one of four of its other faults, so that each fault meets each venue.
 * A grave fault has a refresh and a plain reading, since a refresh must tell it.
 */
export const inTurns: ModesOf = ({ name, isGrave, turn, n }) => {
  const isCommon = common.test(name)
  if (!isCommon && (turn + n) % 4 !== 0) return []
  const first = (isCommon ? turn : Math.floor(turn / 4)) + n
  return modes.filter((_, m) => m === first % modes.length || (isGrave && m === (first + 1) % modes.length))
}

const list = (name: string, path: string): Drift => {
  const drift = listDrifts[name]
  if (drift === undefined) throw new Error(`drift ${name}: unknown; expected one of the list`)
  return drift(path)
}

/** The faults of a route beside those of its fields; those after which a refresh must say something are grave. */
export const others: Record<string, { of: (path: string) => TimedDrift; isGrave: boolean }> = {
  'shows nothing': { of: (path) => list('shows nothing', path), isGrave: true },
  'lists half of its rows': { of: (path) => list('lists half of its rows', path), isGrave: false },
  'shows half of each page': { of: (path) => list('shows half of each page', path), isGrave: false },
  'leaves out the last row of each page': {
    of: (path) => pagesOf(path, (rows) => rows.slice(0, -1)),
    isGrave: false,
  },
  'answers in HTML': { of: (path) => answering(path, 200, '<html>maintenance</html>'), isGrave: true },
  'answers 403': { of: (path) => answering(path, 403, '{"error":"forbidden"}'), isGrave: true },
  'has a clock an hour ahead': { of: () => clockOff(3_600_000), isGrave: false },
  'has a clock an hour behind': { of: () => clockOff(-3_600_000), isGrave: false },
}

/** The cases of a route by name. `turn` is its place among the routes of its venue. */
export function casesOf(route: Route, { fields, kinds, others: names, modesOf }: Size, turn = 0): [string, Case][] {
  const ofFields = fieldsOf(route)
    .slice(0, fields)
    .flatMap((field) =>
      kinds.map((kind) => ({
        name: `${field} ${kind}`,
        isGrave: false,
        drift: onRoute(route.path, (body) => route.change(body, (row) => damages[kind]?.(row, field) ?? row)),
      })),
    )
  const ofOthers = names.flatMap((name) => {
    const other = others[name]
    return other === undefined ? [] : [{ name, isGrave: other.isGrave, drift: other.of(route.path) }]
  })
  return [...ofFields, ...ofOthers].flatMap(({ name, ...drifted }, n) =>
    modesOf({ name, isGrave: drifted.isGrave, turn, n }).map((mode): [string, Case] => [
      `${name}, ${mode.isRefresh ? 'refreshed' : 'read'} in ${mode.isLater ? 'a later' : 'the same'} instant`,
      { source: route.source, ...drifted, ...mode },
    ]),
  )
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { openRecordings } from './folder.ts'

/** The recordings of prediction markets. */
export const { folder: recordingsDir, isRecorded } = openRecordings('prediction-markets')

type Body = Record<string, unknown>

/** A route of the venue, and the files in which its answers were recorded, in whatever wrapping. */
export type RecordedRoute = {
  route: string
  host: 'gamma' | 'clob' | 'data'
  /** The kind of a row, which selects its parser. */
  row: 'market' | 'event' | 'clob market' | 'trade' | 'activity' | 'position' | 'resolution'
  files: string[]
}

const nautilus = 'nautechsystems__nautilus_trader'
const polyoxide = 'dilettante-trading__polyoxide/v2'

/** The table of what was recorded. A name that ends in `/` is all files of a folder. */
export const routes: RecordedRoute[] = [
  {
    route: '/markets/keyset',
    host: 'gamma',
    row: 'market',
    files: [
      'wakeupnemo__polymarket-research/gamma_pages/',
      'guzus__dr-manhattan/polymarket_markets.json',
      'jm709__pscanner/market.json',
      `${nautilus}/test_data/gamma_market.json`,
      `${nautilus}/test_data/gamma_market_closed_binary_accepting_false.json`,
      `${nautilus}/test_data/gamma_market_closed_binary_accepting_true.json`,
      `${nautilus}/test_data/gamma_market_closed_nonbinary_legacy.json`,
      `${nautilus}/test_data/gamma_market_closed_zero_zero_legacy.json`,
      `${nautilus}/test_data/gamma_market_sports_market_map_handicap.json`,
      `${nautilus}/test_data/gamma_market_sports_market_money_line.json`,
    ],
  },
  {
    route: '/events/keyset',
    host: 'gamma',
    row: 'event',
    files: [
      'jm709__pscanner/event.json',
      `${nautilus}/test_data/gamma_event.json`,
      `${nautilus}/test_data/search_response.json`,
    ],
  },
  {
    route: '/markets',
    host: 'clob',
    row: 'clob market',
    files: [
      'Achenzy-prog__Insider_Amy/markets.json',
      `${nautilus}/http_responses/markets.json`,
      `${nautilus}/http_responses/market.json`,
      `${nautilus}/test_data/clob_market_closed_binary_accepting_false.json`,
      `${nautilus}/test_data/clob_market_closed_binary_accepting_true.json`,
    ],
  },
  { route: '/trades', host: 'data', row: 'trade', files: ['Achenzy-prog__Insider_Amy/trades.json'] },
  {
    route: '/activity',
    host: 'data',
    row: 'activity',
    files: [
      'starhaz3-ship-it__star-polymarket/onchain_activity.json',
      'starhaz3-ship-it__star-polymarket/whale1_activity.json',
      'starhaz3-ship-it__star-polymarket/whale2_activity.json',
      'jm709__pscanner/activity.json',
    ],
  },
  { route: '/positions', host: 'data', row: 'position', files: ['jm709__pscanner/positions.json'] },
  {
    route: '/closed-positions',
    host: 'data',
    row: 'position',
    files: ['jm709__pscanner/closed_positions.json', 'Achenzy-prog__Insider_Amy/closed_positions.json'],
  },
  { route: '/v2/trades', host: 'data', row: 'trade', files: [`${polyoxide}/trades.json`] },
  { route: '/v2/activity', host: 'data', row: 'activity', files: [`${polyoxide}/activity.json`] },
  {
    route: '/v2/positions',
    host: 'data',
    row: 'position',
    files: [`${polyoxide}/positions.json`, `${polyoxide}/positions_closed.json`],
  },
  { route: '/v2/resolutions', host: 'data', row: 'resolution', files: [`${polyoxide}/resolutions.json`] },
]

/** All recorded rows of a route, file by file. */
export const recordedRows = ({ files }: RecordedRoute, dir = recordingsDir): Body[] =>
  files
    .flatMap((file) =>
      file.endsWith('/')
        ? readdirSync(join(dir, file))
            .toSorted()
            .map((name) => file + name)
        : [file],
    )
    .flatMap((file) => unwrap(JSON.parse(readFileSync(join(dir, file), 'utf8'))))

/** A recording is a list, an answer with its list inside, or one row. */
const unwrap = (recorded: unknown): Body[] => {
  if (Array.isArray(recorded)) return recorded as Body[]
  const body = recorded as Body
  // A single event has markets of its own; recorded pages say so.
  const list = body['data'] ?? ('page_index' in body ? body['markets'] : undefined) ?? body['events']
  return Array.isArray(list) && !('conditionId' in body) ? (list as Body[]) : [body]
}

/** The route of a table's entry. */
export const routeOf = (route: string): RecordedRoute => {
  const found = routes.find((entry) => entry.route === route)
  if (found === undefined)
    throw new Error(`no recordings of ${route}: there are ${routes.map((entry) => entry.route).join(', ')}`)
  return found
}

import { kalshiRoutes, limitlessRoutes } from './routes.ts'

/** The venues beside Polymarket, with their routes, and those of them that are lists. */
export const venues = [
  {
    venue: 'kalshi',
    scale: 0.3,
    read: ['kalshi_markets', 'kalshi_settlements', 'kalshi_trades', 'kalshi_odds'],
    fields: kalshiRoutes,
    lists: [
      { source: 'kalshi_markets', path: '/markets' },
      { source: 'kalshi_odds', path: '/markets' },
      { source: 'kalshi_trades', path: '/markets/trades' },
      { source: 'kalshi_settlements', path: '/markets' },
    ],
    // A list without a limit has pages of 100 rows.
    limits: { mostRows: 100 },
  },
  {
    venue: 'limitless',
    scale: 0.1,
    read: ['limitless_markets', 'limitless_odds', 'limitless_trades', 'limitless_activity', 'limitless_resolutions'],
    fields: limitlessRoutes,
    lists: [
      { source: 'limitless_markets', path: '/markets/active' },
      { source: 'limitless_odds', path: '/markets/active' },
      { source: 'limitless_trades', path: '/markets/*/events' },
      { source: 'limitless_trades', path: '/markets/*/get-feed-events' },
      { source: 'limitless_activity', path: '/portfolio/*/history' },
    ],
    limits: {},
  },
]

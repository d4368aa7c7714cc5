import type { PastPart } from '#sim/social/past_part.ts'

import { articlesOf, guidOf, outletNames } from './feeds.ts'

export const outletPasts: readonly PastPart[] = outletNames.map((outlet) => ({
  source: 'news_feeds',
  kind: 'observation',
  part: outlet,
  platform: 'news',
  host: `news_${outlet}`,
  isOutlet: true,
  posts: (world, to) =>
    articlesOf(world, outlet, world.start, to).map(({ n, at: ts, text }) => ({
      ts,
      author: outlet,
      key: guidOf(outlet, n),
      text: `${text.split(',')[0]}\n${text} & more`,
    })),
}))

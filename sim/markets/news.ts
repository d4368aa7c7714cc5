import type { Random } from '#sim/random.ts'

import { day_s, now_s, settle, shapes, yesNo, type Draft } from './event_templates.ts'
import { coins, dayOf, wordStory, type Wording } from './questions.ts'
import type { Person } from './traders.ts'

const minute_s = 60
/** The large traders: their number, the dollars of a usual order, and their activity. */
const large = { count: 4, usd: [600, 1_000], rate: 4 } as const

/**
 * The events that are in the news around `now`: one on Solana, whose odds rose in the last hour, and a story whose odds
 * fall in the next one. Both have been open for weeks, and stay open while a demo watches.
 */
export function draftNews(random: Random): Draft[] {
  const closes_s = now_s + 64 * day_s
  const [, , solana] = coins
  const rising: Wording = {
    title: `Will ${solana.name} close above $${Math.round(solana.usd * 1.25)} on ${dayOf(closes_s)}?`,
    category: 'Crypto',
    tags: ['Crypto', solana.name],
  }
  const falling = wordStory(random, closes_s)
  return [
    { wording: rising, prior: 0.34, news: { from_s: now_s - 50 * minute_s, to_s: now_s - 10 * minute_s, logits: 2.2 } },
    {
      wording: falling,
      prior: 0.6,
      news: { from_s: now_s + 20 * minute_s, to_s: now_s + 45 * minute_s, logits: -2.2 },
    },
  ].map(({ wording, prior, news }) => {
    const question = { kind: 'yes_no', text: wording.title, labels: yesNo, groupItemTitle: '', prior } as const
    const life = { from_s: now_s - 20 * day_s, start_s: null, to_s: closes_s }
    return { ...settle({ ...shapes.story, weight: 4 }, wording, [question], life, random), news }
  })
}

/** Makes the first sharp traders large ones. */
export function enlarge(people: readonly Person[], random: Random): void {
  for (const person of people.filter(({ archetype }) => archetype === 'sharp').slice(0, large.count)) {
    person.isLarge = true
    person.bet_usd = random.between(...large.usd)
    person.rate = large.rate
  }
}

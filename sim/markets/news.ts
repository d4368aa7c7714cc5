import type { Random } from '#sim/random.ts'

import { day_s, now_s, settle, shapes, yesNo, type Draft, type News } from './event_templates.ts'
import { coins, dayOf, wordStory, type Wording } from './questions.ts'
import type { Person } from './traders.ts'

const minute_s = 60
/** The large traders: their number, the dollars of a usual order, and their activity. */
const large = { count: 4, usd: [600, 1_000], rate: 4 } as const
/** Stories that news reaches after `now`, and the seconds of the first news and between two. */
const stories = { count: 6, first_s: 20 * minute_s, every_s: 55 * minute_s }

/**
 * The events that are in the news: one on Solana, whose odds rose in the last hour, and stories whose odds rise or fall
 * in the next hours. All have been open for weeks, and stay open for weeks.
 */
export function draftNews(random: Random): Draft[] {
  const drafts = [draftSolana(random)]
  for (let n = 0; n < stories.count; n++) {
    const from_s = now_s + stories.first_s + n * stories.every_s
    const logits = n % 2 === 0 ? -2.2 : 2.2
    const news = { from_s, to_s: from_s + 25 * minute_s, logits, leader: n + 1 }
    const closes_s = now_s + Math.round(random.between(30, 70)) * day_s
    drafts.push(draftStory(wordStory(random, closes_s), { prior: 0.5, closes_s, news }, random))
  }
  return drafts
}

function draftSolana(random: Random): Draft {
  const closes_s = now_s + 64 * day_s
  const [, , { name, usd }] = coins
  const title = `Will ${name} close above $${usd * 1.25} on ${dayOf(closes_s)}?`
  const news = { from_s: now_s - 50 * minute_s, to_s: now_s - 10 * minute_s, logits: 2.2, leader: 0 }
  return draftStory({ title, category: 'Crypto', tags: ['Crypto', name] }, { prior: 0.34, closes_s, news }, random)
}

function draftStory(
  wording: Wording,
  { prior, closes_s, news }: { prior: number; closes_s: number; news: News },
  random: Random,
): Draft {
  const question = { kind: 'yes_no', text: wording.title, labels: yesNo, groupItemTitle: '', prior } as const
  const life = { from_s: now_s - random.between(15, 30) * day_s, start_s: null, to_s: closes_s }
  return { ...settle({ ...shapes.story, weight: 3 }, wording, [question], life, random), news }
}

/** Makes the first sharp traders large ones. */
export function enlarge(people: readonly Person[], random: Random): void {
  for (const person of people.filter(({ archetype }) => archetype === 'sharp').slice(0, large.count)) {
    person.isLarge = true
    person.bet_usd = random.between(...large.usd)
    person.rate = large.rate
  }
}

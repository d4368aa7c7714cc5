import { createRandom, hexSpace, hexText } from '#sim/random.ts'

import { draftAll, type Draft } from './event_templates.ts'
import { draftNews } from './news.ts'
import type { Event, Market } from './types.ts'

/** An event before its trading. */
export type Plan = { event: Event; markets: Market[]; draft: Draft }

/**
 * The schedule of events before any trade. They are numbered by creation, like at the venue: a later event has a larger
 * id.
 */
export function createCalendar(
  seed: number,
  scale: number,
  { isLifelike = false, hasNews = false }: { isLifelike?: boolean; hasNews?: boolean } = {},
): Plan[] {
  const drafts = draftAll(createRandom(seed, 2), scale, isLifelike)
  if (hasNews) drafts.push(...draftNews(createRandom(seed, 14)))
  drafts.sort((a, b) => a.createdAt_s - b.createdAt_s)
  const plans: Plan[] = []
  let marketIndex = 0
  for (const [index, draft] of drafts.entries()) {
    const event = numberEvent(seed, index, draft)
    const markets = draft.questions.map((_, i) => numberMarket(seed, event, draft, i, marketIndex++))
    event.markets = markets.map((market) => market.index)
    plans.push({ event, markets, draft })
  }
  return plans
}

function numberEvent(seed: number, index: number, draft: Draft): Event {
  const isNegRisk = draft.shape.isNegRisk
  return {
    index,
    id: draft.shape.name === 'legacy' ? String(40 + index) : String(300_000 + 7 * index),
    slug: `${draft.slug}-${index}`,
    title: draft.wording.title,
    category: draft.wording.category,
    tags: draft.wording.tags,
    negRiskId: isNegRisk ? `0x${hexText(seed, hexSpace.negRisk, index, 62)}00` : '',
    markets: [],
    createdAt_s: draft.createdAt_s,
    startsAt_s: draft.startsAt_s,
    startsBy: draft.shape.startsBy,
  }
}

function numberMarket(seed: number, event: Event, draft: Draft, i: number, index: number): Market {
  const question = draft.questions[i]
  if (question === undefined) throw new Error(`event ${event.id}: no question ${i}; expected the index of a question`)
  const version = versionOf(question.kind, index)
  const conditionId =
    version === 'v1'
      ? `0x${hexText(seed, hexSpace.condition, index, 64)}`
      : `0x01${hexText(seed, hexSpace.condition, index, 60)}`
  return {
    index,
    event: event.index,
    kind: question.kind,
    version,
    id: draft.shape.name === 'legacy' ? String(10 + index) : String(1_600_000 + 3 * index),
    slug: draft.questions.length === 1 ? event.slug : `${event.slug}-${i}`,
    conditionId,
    // The venue derives a neg-risk question's id from its group's, with the question's index as last byte.
    questionId:
      event.negRiskId === ''
        ? `0x${hexText(seed, hexSpace.question, index, 64)}`
        : `${event.negRiskId.slice(0, -2)}${i.toString(16).padStart(2, '0')}`,
    question: question.text,
    labels: question.labels,
    tokenIds:
      version === 'v1'
        ? [tokenId(seed, 2 * index), tokenId(seed, 2 * index + 1)]
        : [positionId(conditionId, 0), positionId(conditionId, 1)],
    groupItemTitle: question.groupItemTitle,
    negRiskIndex: event.negRiskId === '' ? -1 : i,
    tick: draft.shape.tick,
    bookHalf: 0,
    feeRate: draft.feeRate,
    createdAt_s: draft.createdAt_s,
    endsAt_s: draft.endsAt_s,
    pausedAt_s: draft.pausedAt_s,
    resumedAt_s: draft.resumedAt_s,
    closedAt_s: draft.closedAt_s,
    decidedFrom_s: draft.closedAt_s,
    proposedAt_s: draft.proposedAt_s,
    disputedAt_s: draft.disputedAt_s,
    resolvedAt_s: draft.resolvedAt_s,
    result: 'none',
    payouts: null,
    openingPrice: 0,
    closePrice: null,
  }
}

/** Every ninth market without a neg-risk group is one of Protocol V2. */
const versionOf = (kind: Market['kind'], index: number): Market['version'] =>
  kind !== 'legacy' && kind !== 'neg_risk' && index % 9 === 4 ? 'v2' : 'v1'

/** The token of an outcome of Protocol V2: the condition with the outcome as last byte. */
const positionId = (conditionId: string, outcome: number): string =>
  (BigInt(conditionId) * 256n + BigInt(outcome)).toString()

/** A decimal number of up to 78 digits. */
function tokenId(seed: number, index: number): string {
  return BigInt(`0x${hexText(seed, hexSpace.token, index, 64)}`).toString()
}

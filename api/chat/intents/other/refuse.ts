import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { asksForAdvice, asksForForecast, asksForPrediction } from '#api/chat/intents/refused/advice.ts'
import { asksForIdentity, givesOrder } from '#api/chat/intents/refused/orders.ts'
import { asksForOtherFigure, asksForPrice, isOutside } from '#api/chat/intents/refused/outside.ts'
import { asksForChange } from '#api/chat/intents/refused/writes.ts'
import { ofMarkets } from '#api/chat/reading/concepts/betting.ts'
import { notUnderstood } from '#api/chat/route.ts'

const reasons = {
  advice: 'The assistant gives figures and no advice: it says nothing about buying, selling or betting.',
  write:
    'The assistant reads and changes nothing. Alerts, watchlists, keys and tiers change through their endpoints and pages.',
  unsupported: 'The assistant answers from its own tables, which do not hold this.',
} as const

type Reason = keyof typeof reasons

export const refuse = defineIntent({
  name: 'refuse',
  doc: 'Advice, changes, and all that the tables do not hold.',
  examples: [],
  isTool: false,
  slots: z.strictObject({ reason: z.enum(Object.keys(reasons) as [Reason, ...Reason[]]) }),
  match: ({ plain, text, titles, subject, assets, means }): { score: number; slots: { reason: Reason } } => {
    const because = (reason: Reason, score: number) => ({ score, slots: { reason } })
    if (asksForChange(text)) return because('write', 96)
    if (givesOrder(plain)) return because('unsupported', 95)
    if (asksForIdentity(plain) || asksForOtherFigure(plain)) return because('unsupported', 91)
    if (asksForAdvice(text)) return because('advice', 94)
    if (asksForPrediction(text)) return because('unsupported', 93)
    // `will bitcoin reach 150k` asks for the odds of a market if there is one.
    const share = titles[0]?.share ?? 0
    const isOfMarket = (share >= 0.7 && subject.length > 1) || (share >= 0.5 && means(ofMarkets))
    const isComparison = assets.length > 1 && /\blike(?:ly|lier|lihood)|\bodds|\bchances?\b/.test(text)
    if (asksForForecast(text) && !isOfMarket && !isComparison) return because('advice', 93)
    const isOther = isOutside(plain) || (!(share >= 0.7 && subject.length > 1) && asksForPrice(text))
    return because('unsupported', isOther ? 80 : notUnderstood)
  },
  answer: async ({ reason }) => answerOf({ headline: reasons[reason] }),
})

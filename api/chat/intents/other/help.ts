import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'

export const help = defineIntent({
  name: 'help',
  doc: 'What can be asked.',
  examples: [],
  isTool: false,
  slots: z.strictObject({}),
  match: ({ plain }) => (asks.test(plain) ? { score: 92, slots: {} } : null),
  answer: async () => answerOf({ headline: 'The assistant answers questions about its own tables.' }),
})

const greeting =
  /^\W*(help|hi|hello|hey|gm|yo|start|menu|options|commands|examples?)( (there|me|please|pls|tapeline))?\W*$/

const patterns = [
  /\bwhat (can|could) (you|i|we|this|it|tapeline) (do|answer|t(?:ell)|ask|help|offer|find|query)\b/,
  /\bwhat (kinds?|types?|sorts?|sort) of (questions?|things|stuff|data|queries)\b/,
  /\b(how|what) (do|does|can|should|to) (i|this|you|one) (use|work(?! out)|ask|query|start|get started)\b/,
  /\bwhat (questions|things|else) (can|could|do|should) (i|you|we)\b/,
  /\bwhat (?:are )?(?:some |all |the )*(?:things|stuff|questions|topics|queries|kinds|data) (?:that )?(?:you|i|we) (?:can|could|may)\b/,
  /\bwhat do you (do|know|answer|offer)\b|\bwhat are you (able|capable|for)\b/,
  /\bwhat are your (capabilities|features|abilities)\b|\bhow does this work\b/,
  /\bwhat ?('re|are)? you (good|useful) (for|at)\b/,
  /\bwhat (?:can|could|may|do) (?:i|we) (?:\w+ )?(?:to|from|of|with) you\b/,
  /\bhow (?:can|could|do|may) (?:you|this|it) (?:help|assist|be of)\b/,
  /\bgive me (some )?examples?\b|\bexample questions?\b/,
]

const asks = { test: (text: string): boolean => greeting.test(text) || patterns.some((one) => one.test(text)) }

import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { askFor, missingNames } from '#api/chat/missing.ts'

/** Asks for one thing. The route leads here if the best match of another intent lacks it. */
export const clarify = defineIntent({
  name: 'clarify',
  doc: 'Asks for the thing that a question lacks: an address, an asset, a market, a chain, a period.',
  examples: [],
  isTool: false,
  slots: z.strictObject({ missing: z.enum(missingNames) }),
  // No question asks for a question.
  match: () => null,
  answer: async ({ missing }) => {
    const request = askFor(missing)
    return answerOf({ headline: request, inputs: [request] })
  },
})

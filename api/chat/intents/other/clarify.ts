import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { askFor, missingNames } from '#api/chat/missing.ts'

export const clarify = defineIntent({
  name: 'clarify',
  doc: 'Asks for what a question lacks.',
  examples: [],
  isTool: false,
  slots: z.strictObject({ missing: z.enum(missingNames) }),
  // Another intent that misses something leads here.
  match: () => null,
  answer: async ({ missing }) => answerOf({ headline: askFor(missing), given: [askFor(missing)] }),
})

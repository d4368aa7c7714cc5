import { z } from 'zod'

import { answerOf } from '#api/chat/answering/answer.ts'
import { defineIntent } from '#api/chat/intent.ts'
import { concept } from '#api/chat/reading/concepts/concept.ts'
import { oneOf } from '#api/chat/reading/phrases/phrases.ts'

export const help = defineIntent({
  name: 'help',
  doc: 'What can be asked.',
  examples: [],
  isTool: false,
  slots: z.strictObject({}),
  match: ({ plain, means, assets, addresses }) =>
    greeting.test(plain) || pleads.test(plain) || (means(ofHelp) && assets.length + addresses.length === 0)
      ? { score: 92, slots: {} }
      : null,
  answer: async () => answerOf({ headline: 'The assistant answers questions about its own tables.' }),
})

const hello =
  oneOf(`help, hi+, hiya, hello+, he+y+, gm, yo+, sup, howdy, greetings, (?:good )?(?:morning|evening|afternoon|day), start, menu, options
  commands, examples?, test, anyone there, are you there, what'?s up`)
const you = oneOf(
  'there, me, please, pls, tapeline, bot, all, everyone, folks, friend, guys, team, again, mate, assistant',
)
const greeting = new RegExp(String.raw`^\W*${hello}(?:\W+${you})*\W*$`)

/** `i am lost, help`: it asks for no thing. */
const pleads =
  /\b(?:can you|could you|i need|need|some|,) help(?: me)?(?: out)?\W*$|^\W*(?:i'm|i am) (?:lost|confused|new here|new)\b/

const ofHelp = concept(
  `what you can do, what can|could you|i|we|this|it|tapeline do|answer|ask|help|offer|find|query, what kind|type|sort of question|thing|stuff|data|query
  how|what do|can|should|to i|this|you|one ~ use|ask|query|start, how do i|one get start, how do i|this|it|tapeline work, how this|it work, get me started, getting started
  what question|thing|else can|could|do|should i|you|we, what ~ thing|stuff|question|topic|query|kind|data you|i|we can|could|may, what do you do|know|answer|offer, what be you able|capable|for
  what be your capability|feature|ability, your capability|feature, what you good|useful for|at, what be you good|useful for|at, what can|could|may|do i|we ~ to|from|of|with you
  how can|could|do|may you|this|it help|assist|be, give me ~ example, example question, sample question, question ~ i can|could ask, some ~ example|sample, example|sample of question
  what should|could|might i|we ask, what to ask, idea of|for question, suggest ~ question, what be this ~ for, what be this thing|bot|app|tool|assistant|service|tapeline|site
  what be tapeline, what do this|tapeline ~ do, tutorial, walk me through, show me around, how to use, instruction for using, explain yourself, introduce yourself, what possible here, what can be ask`,
)

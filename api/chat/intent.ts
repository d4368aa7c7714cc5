import type { z } from 'zod'

import type { Answer } from './answering/answer.ts'
import type { Readers } from './answering/readers.ts'
import type { Missing } from './missing.ts'
import type { Reading } from './reading/reading.ts'

/**
 * A kind of question. The router and the model choose an intent with its slots, and both get the same answer. A new
 * intent is a file and a line in `intents/index.ts`.
 */
export type Intent = {
  /** In snake case; also the name of the tool. */
  name: string
  /** One sentence, for the help and for the model. */
  doc: string
  /** Questions of this kind, for the help. */
  examples: readonly string[]
  /** Whether it answers with data. The others refuse or ask back. */
  isTool: boolean
  slots: z.ZodObject
  /** Null if the question is of another kind. The match with the highest score counts. */
  match: (reading: Reading) => Match | null | Promise<Match | null>
  answer: (slots: object, context: AnswerContext) => Promise<Answer>
}

/** The inputs of an answer: the readers of the caller. */
export type AnswerContext = { readers: Readers }

/** The slots of a question, or the thing that it lacks. */
export type Match<S = object> = { score: number; slots: S } | { score: number; missing: Missing }

/** An intent with its slots; the slots are valid and complete. */
export type Plan = { intent: string; slots: object }

/** Describes an intent; the types of the slots follow from their schema. */
export const defineIntent = <S extends z.ZodObject>(definition: {
  name: string
  doc: string
  examples: readonly string[]
  isTool?: boolean
  slots: S
  match: (reading: Reading) => Match<z.input<S>> | null | Promise<Match<z.input<S>> | null>
  answer: (slots: z.output<S>, context: AnswerContext) => Promise<Answer>
}): Intent => ({ isTool: true, ...definition }) as unknown as Intent

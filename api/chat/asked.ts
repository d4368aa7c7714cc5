import type { Caller } from '#accounts/keys.ts'
import type { RateState } from '#api/contract/endpoint.ts'

import type { Source } from './answering/answer.ts'
import type { Plan } from './intent.ts'

/** The caller of a question, with the state of its limit. */
export type As = { caller: Caller; rate: RateState }

/** Who chose the data of an answer: the router, or a model. */
export type Engine = 'rules' | 'llm'

/** The answer to a question: its text and sources, the plan behind it, and the instant of its facts. */
export type Asked = { text: string; sources: Source[]; plan: Plan; asOf: string | null; engine: Engine }

/** Answers a question of a caller. It throws the errors that REST throws. */
export type Ask = (query: string, as: As) => Promise<Asked>

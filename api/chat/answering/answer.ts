import type { Asked } from '#api/contract/endpoint.ts'

import { assertStated, showFigure, type Figure } from './figures.ts'

/** The origin of a fact, as `/v1/chat` serves it. `signal_id` is empty if it is no signal. */
export type Source = Asked['sources'][number]

/** A row of a reader: the name of its entity as it is shown, its figures, and words of closed vocabularies. */
export type Fact = { name: string; figures: readonly Figure[]; words: readonly string[]; source: Source }

/** The content of an answer. Texts state numbers of `inputs` and of facts only. */
export type Answer = {
  headline: string
  facts: readonly Fact[]
  /** Sentences after the facts. */
  notes: readonly string[]
  /** Numbers and instants of the plan and of headers, as text. */
  inputs: readonly string[]
  /** The instant of the facts; null for answers without data. */
  asOf: string | null
}

/** The parts of an answer; an omitted part is empty. */
export const answerOf = (parts: Partial<Answer> & Pick<Answer, 'headline'>): Answer => ({
  facts: [],
  notes: [],
  inputs: [],
  asOf: null,
  ...parts,
})

/** A fact as one line. */
export const lineOf = ({ name, figures, words }: Fact): string =>
  `- ${name}: ${[...figures.map(showFigure), ...words].join(', ')}`

/** The text of an answer. Throws if it states a number that is in no fact. */
export function textOf(answer: Answer): string {
  const { headline, facts, notes, asOf } = answer
  const end = asOf === null ? [] : [`As of ${asOf}.`]
  const text = [headline, ...facts.map(lineOf), ...notes, ...end].join('\n')
  assertStated(text, statedBy(answer))
  return text
}

/** All texts whose numbers an answer may state. */
const statedBy = ({ facts, inputs, asOf }: Answer): string[] => [
  ...facts.flatMap(({ name, figures, words }) => [
    name,
    ...figures.flatMap((figure) => [figure.name, showFigure(figure)]),
    ...words,
  ]),
  ...inputs,
  asOf ?? '',
]

/** The sources of an answer, each once, in the order of its facts. */
export const sourcesOf = ({ facts }: Answer): Source[] => {
  const unique = new Map(facts.map(({ source }) => [JSON.stringify(source), source]))
  return [...unique.values()]
}

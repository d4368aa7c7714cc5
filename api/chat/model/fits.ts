import { z } from 'zod'

import { numbersOf } from '#api/chat/answering/figures.ts'
import type { Intent, Plan } from '#api/chat/intent.ts'
import { rangeOf, type Period } from '#api/chat/reading/periods.ts'
import type { Reading } from '#api/chat/reading/reading.ts'
import { sentimentOf } from '#api/chat/reading/vocabulary.ts'

/**
 * Whether the plan of a model answers the question that was asked: it has exactly the entities, numbers, periods and
 * filters that the question names, and a question without an entity shares a word with the intent. True figures about
 * something else are a wrong answer.
 */
export function fits({ slots }: Plan, intent: Intent, reading: Reading): boolean {
  const plan = slots as Slots
  if (reading.unknownAsset !== null || reading.unknownChain !== null) return false
  const entities = entitiesOf(plan)
  return (
    namesSame(entities, reading) &&
    hasSameFilters(plan, intent, reading) &&
    hasSamePeriod(plan, intent, reading) &&
    statesNumbers(plan, reading, entities.length > 0) &&
    (entities.length > 0 || sharesWord(intent, reading))
  )
}

type Slots = Record<string, unknown>

const entitySlots = ['asset', 'assets', 'address', 'items', 'markets', 'signal']

const entitiesOf = (slots: Slots): string[] =>
  entitySlots
    .flatMap((name) => slots[name] ?? [])
    .flatMap((value) => (typeof value === 'string' ? [value.toLowerCase()] : []))

/** The plan names nothing else, and all that the question names; a title may be meant by its words only. */
function namesSame(entities: readonly string[], reading: Reading): boolean {
  const asked = [...reading.assets, ...reading.signals, ...reading.marketIds].map((name) => [name.toLowerCase()])
  const must = [...asked, ...reading.addresses.map(({ key, shown }) => [key.toLowerCase(), shown.toLowerCase()])]
  const may = new Set([...must.flat(), ...reading.titles.map(({ id }) => id.toLowerCase())])
  return (
    entities.every((entity) => may.has(entity)) && must.every((names) => names.some((name) => entities.includes(name)))
  )
}

/** Filters that the intent has and the question names are in the plan, and no others. */
function hasSameFilters(plan: Slots, intent: Intent, reading: Reading): boolean {
  const { platforms, chain, archetype, tag, text, limit } = reading
  const asked = { platform: platforms[0] ?? null, chain, archetype, tag, sentiment: sentimentOf(text), limit }
  return Object.entries(asked).every(([name, value]) => {
    const shape = intent.slots.shape[name]
    if (shape === undefined) return true
    const planned = plan[name] ?? null
    // One row is a guess of the rules from a superlative.
    if (name === 'limit' && value === 1 && planned === null) return true
    return planned === (value !== null && isValid(shape, value) ? value : null)
  })
}

const isValid = (shape: unknown, value: unknown): boolean => (shape as z.ZodType).safeParse(value).success

const days: Readonly<Record<string, Period>> = { '7d': 7, '30d': 30, '90d': 90, all: 'all' }

function hasSamePeriod(plan: Slots, { name, slots }: Intent, { period, since }: Reading): boolean {
  if ('since' in slots.shape) return (plan['since'] ?? null) === (since?.toISOString() ?? null)
  const ofRange: unknown = slots.shape['range']
  if (ofRange !== undefined) return plan['range'] === (period === null ? defaultOf(ofRange) : rangeOf(period, days))
  // The volume of markets is of a day.
  return period === null || (name === 'pm_markets' && period === 1)
}

/** The range of a question without a period. */
const defaultOf = (shape: unknown): unknown => (shape as z.ZodType).safeParse(undefined).data

/** Every number of the question is the limit, in a period, or in the title of a market that the plan names. */
function statesNumbers(plan: Slots, { text, since }: Reading, hasEntity: boolean): boolean {
  const bare = text.replaceAll(
    /<\w+>|\b\d+[- ]?(?:d|h|w|mo?|y|min|minutes?|hours?|hrs?|days?|weeks?|months?|quarters?|years?)\b/g,
    ' ',
  )
  const isDate = since !== null && plan['since'] === since.toISOString()
  return (
    isDate || ('markets' in plan && hasEntity) || numbersOf(bare).every((numeral) => numeral === String(plan['limit']))
  )
}

/** Whether a word of the question is one of the intent's sentence or of the values of its slots. */
function sharesWord({ doc, name, slots }: Intent, { plain }: Reading): boolean {
  const schema = JSON.stringify(z.toJSONSchema(slots, { io: 'input', unrepresentable: 'any' }))
  const vocabulary = new Set(wordsOf(`${doc} ${name} ${schema}`))
  return wordsOf(plain).some((word) => vocabulary.has(word))
}

/** Words of four letters or more without a plural, and without those of every schema. */
const wordsOf = (text: string): string[] =>
  text
    .toLowerCase()
    .split(/[^a-z]+/)
    .map((word) => word.replace(/s$/, ''))
    .filter((word) => word.length >= 3 && !common.has(word))

const common = new Set(
  `the and all any its with this that which from only one two more most than schema draft json string integer array object
  type propertie description default enum item format pattern minimum maximum minitem maxitem minlength maxlength number
  additionalpropertie false true begin end list row over for https org name after about`.split(/\s+/),
)

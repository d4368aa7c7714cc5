import { keccak_256 } from '@noble/hashes/sha3'

/** An argument of an event: its type, and the topic or the word of the data that has it. */
export type Argument = { type: string; place: 'topic' | 'data'; n: number }

/** An event: the hash that is its first topic, and the place of each argument. A field of a tuple is `tuple.field`. */
export type EventShape = {
  event: string
  topic0: string
  /** The number of topics, with the hash. */
  n_topics: number
  /** The words of the data before the contents of texts and lists. */
  n_words: number
  arguments: ReadonlyMap<string, Argument>
}

/** Reads an event in the notation of Solidity. Throws an error if it is none. */
export function parseEvent(event: string): EventShape {
  const [, name, list = ''] = /^event (\w+)\((.*)\)$/.exec(event) ?? []
  if (name === undefined) throw new Error(`event ${event}: no event; expected the notation of Solidity`)
  const parameters = splitList(list).map(parseParameter)
  const places = new Map<string, Argument>()
  let [n_topics, n_words] = [1, 0]
  for (const parameter of parameters) {
    if (parameter.isIndexed) places.set(parameter.name, { type: parameter.type, place: 'topic', n: n_topics++ })
    else for (const { name: path, type } of wordsOf(parameter)) places.set(path, { type, place: 'data', n: n_words++ })
  }
  const topic0 = hashOf(`${name}(${parameters.map(({ type }) => type).join()})`)
  return { event, topic0, n_topics, n_words, arguments: places }
}

const hashOf = (signature: string): string => `0x${Buffer.from(keccak_256(Buffer.from(signature))).toString('hex')}`

/** A parameter. `fields` are those of a tuple. */
type Parameter = { name: string; type: string; isIndexed: boolean; fields: readonly Parameter[] }

function parseParameter(text: string): Parameter {
  const [, tuple, lists = '', plain, indexed, name = ''] =
    /^(?:\((.*)\)((?:\[\])*)|([a-z]+\d*(?:\[\])*))( indexed)? (\w+)$/.exec(text) ?? []
  const fields = splitList(tuple ?? '').map(parseParameter)
  const type = plain ?? `(${fields.map((field) => field.type).join()})${lists}`
  if (name === '')
    throw new Error(`parameter ${text}: not read; expected a type without lists of a fixed length and a name`)
  return { name, type, isIndexed: indexed !== undefined, fields }
}

/** The words of a parameter in the head of the data. A text, a list and a tuple with one of these are an offset. */
const wordsOf = ({ name, type, fields }: Parameter): { name: string; type: string }[] =>
  isDynamic(type) || fields.length === 0
    ? [{ name, type }]
    : fields.flatMap(wordsOf).map((field) => ({ ...field, name: `${name}.${field.name}` }))

const isDynamic = (type: string): boolean => /\[\]|string|bytes(?!\d)/.test(type)

/** The items of a list, at the commas outside of tuples. */
function splitList(list: string): string[] {
  const items: string[] = []
  let [item, depth] = ['', 0]
  for (const part of list.split(/([(),])/)) {
    depth += part === '(' ? 1 : part === ')' ? -1 : 0
    if (part === ',' && depth === 0) {
      items.push(item.trim())
      item = ''
    } else item += part
  }
  return item.trim() === '' ? items : [...items, item.trim()]
}

import type { Field, Read } from './decoder.ts'
import type { Argument, EventShape } from './signature.ts'
import { address, bool, int, position, tokenName, topicAddress, topicWord, uint, word } from './words.ts'

/** A value that all logs of the event share. */
export const constant =
  (value: string | number): Field =>
  () =>
  () =>
    value

/** An amount less another one. */
export const difference =
  (amount: string, less: string): Field =>
  (event) => {
    const [first, second] = [amountRead(event, amount), amountRead(event, less)]
    return (log) => first(log) - second(log)
  }

/** One of two amounts, by a flag. */
export const either =
  (flag: string, ifTrue: string, ifFalse: string): Field =>
  (event) => {
    const [isTrue, first, second] = [valueRead(event, flag), amountRead(event, ifTrue), amountRead(event, ifFalse)]
    return (log) => (isTrue(log) === true ? first(log) : second(log))
  }

/** The reader of a column by its field. Throws an error if the event has no such argument. */
export function columnRead(event: EventShape, column: string, field: Field): Read {
  if (typeof field === 'function') return field(event)
  if (typeof field !== 'string') {
    const tokens = field.map((name) => columnRead(event, 'token0', name))
    return (log) => tokens.map((read) => read(log))
  }
  if (/^coin\d_index$/.test(column)) {
    const { n } = argumentAt(event, field, 'data')
    return ({ data }) => position(data, n)
  }
  const read = valueRead(event, field)
  if (/^token[01]$/.test(column)) return (log) => tokenName(String(read(log)))
  return textColumns.has(column) ? (log) => String(read(log)) : read
}

/** Columns with the digits of a number. */
const textColumns: ReadonlySet<string> = new Set(['sqrt_price', 'liquidity'])

/** The reader of an argument that is a number. */
export const amountRead = (event: EventShape, field: string): Read<bigint> => {
  const read = valueRead(event, field)
  if (!/^u?int/.test(argumentAt(event, field.replace(/^-/, '')).type))
    throw new Error(`${event.event}: ${field} is no number; expected one`)
  return read as Read<bigint>
}

/** The reader of an argument, of the negative of a number, or of the emitting contract. */
export function valueRead(event: EventShape, field: string): Read {
  if (field === 'this') return ({ address: emitter }) => emitter
  if (field.startsWith('-')) {
    const read = amountRead(event, field.slice(1))
    return (log) => -read(log)
  }
  const { type, place, n } = argumentAt(event, field)
  if (place === 'topic') {
    if (type === 'address') return ({ topics }) => topicAddress(topics, n)
    if (type === 'bytes32') return ({ topics }) => topicWord(topics, n)
    throw new Error(`${event.event}: ${field} is a topic of type ${type}; expected an address or bytes32`)
  }
  if (type === 'address') return ({ data }) => address(data, n)
  if (type === 'bool') return ({ data }) => bool(data, n)
  if (type === 'bytes32') return ({ data }) => word(data, n)
  const [, sign, bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? []
  if (sign === undefined) throw new Error(`${event.event}: ${field} is of type ${type}; expected a word`)
  const size = Number(bits)
  return sign === 'u' ? ({ data }) => uint(data, n, size) : ({ data }) => int(data, n, size)
}

/** The place of an argument. */
export function argumentAt(
  { event, arguments: places }: EventShape,
  name: string,
  place?: Argument['place'],
): Argument {
  const argument = places.get(name)
  if (argument === undefined || (place !== undefined && argument.place !== place))
    throw new Error(`${event}: no argument ${name}${place === undefined ? '' : ` in its ${place}`}; expected one`)
  return argument
}

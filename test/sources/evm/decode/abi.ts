import fc, { type Arbitrary } from 'fast-check'
import {
  encodeAbiParameters,
  encodeEventTopics,
  parseAbiItem,
  toEventSelector,
  type AbiEvent,
  type AbiParameter,
} from 'viem'

import { valueNames } from '#sources/chain_table.ts'
import { decodeLog } from '#sources/evm/decode/decode_log.ts'
import type { RawLog } from '#sources/evm/decode/event/decoder.ts'

/** The decoded row of a log by the names of its columns, its rejection, or nothing. */
export function rowOf(log: RawLog, decode = decodeLog) {
  const decoded = decode(log)
  if (decoded === undefined || decoded.dataset === 'rejected') return decoded
  const { dataset, values } = decoded
  return { dataset, row: Object.fromEntries(valueNames(dataset).map((name, n) => [name, values[n]])) }
}

/** The event of a decoder, parsed by another library. */
export const abiOf = (event: string): AbiEvent => parseAbiItem(event) as AbiEvent

/** The hash of an event. */
export const topicOf = (event: string): string => toEventSelector(abiOf(event))

const extremes = (low: bigint, high: bigint): Arbitrary<bigint> =>
  fc.oneof(fc.constantFrom(low, high, 0n, 1n, high - 1n), fc.bigInt(low, high))

export const someAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => toHex(bytes))
const toHex = (bytes: Uint8Array): `0x${string}` => `0x${Buffer.from(bytes).toString('hex')}`

/** Any value of a type of Solidity. */
function valueOf(parameter: AbiParameter): Arbitrary<unknown> {
  const { type } = parameter
  if (type.endsWith('[]')) return fc.array(valueOf({ ...parameter, type: type.slice(0, -2) }), { maxLength: 3 })
  if ('components' in parameter)
    return fc
      .tuple(...parameter.components.map(valueOf))
      .map((values) => Object.fromEntries(parameter.components.map(({ name }, n) => [name, values[n]])))
  if (type === 'address') return someAddress
  if (type === 'bool') return fc.boolean()
  if (type === 'string') return fc.string()
  if (type === 'bytes') return fc.uint8Array({ maxLength: 70 }).map(toHex)
  const [, bytes] = /^bytes(\d+)$/.exec(type) ?? []
  if (bytes !== undefined) return fc.uint8Array({ minLength: Number(bytes), maxLength: Number(bytes) }).map(toHex)
  const [, sign, bits = '256'] = /^(u?)int(\d*)$/.exec(type) ?? []
  const size = BigInt(bits)
  const value = sign === 'u' ? extremes(0n, 2n ** size - 1n) : extremes(-(2n ** (size - 1n)), 2n ** (size - 1n) - 1n)
  // The library takes numbers for small integers.
  return size <= 48n ? value.map(Number) : value
}

/** A log of an event with any values, as a node returns it, and the values by their names. */
export const someLog = (
  event: string,
  few: Record<string, Arbitrary<unknown>> = {},
): Arbitrary<{ log: RawLog; args: Record<string, unknown> }> => {
  const abi = abiOf(event)
  const shape = abi.inputs.map((input) => [input.name ?? '', few[input.name ?? ''] ?? valueOf(input)] as const)
  return fc.record({ address: someAddress, args: fc.record(Object.fromEntries(shape)) }).map(({ address, args }) => {
    const topics = encodeEventTopics({ abi: [abi], eventName: abi.name, args }) as string[]
    const plain = abi.inputs.filter(({ indexed }) => indexed !== true)
    const data = encodeAbiParameters(
      plain,
      plain.map(({ name }) => args[name ?? '']),
    )
    return { log: { address, topics, data }, args }
  })
}

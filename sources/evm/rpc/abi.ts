import { keccak_256 } from '@noble/hashes/sha3'

/** A call of a contract: its address and the call data, in lower-case hexadecimal. */
export type ContractCall = { to: string; data: string }

/** The result of a call in hexadecimal; null if the contract refused. */
export type Output = string | null

/** The call data of a function: its selector, then the words of its arguments, which are numbers or addresses. */
export const viewCall = (signature: string, ...words: (number | string)[]): string =>
  `0x${selectorOf(signature)}${words.map(wordOf).join('')}`

const selectorOf = (signature: string): string => Buffer.from(keccak_256(Buffer.from(signature))).toString('hex', 0, 4)
const wordOf = (value: number | string): string =>
  (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')

/** The first word of a result as a number; null without one. */
export const numberIn = (output: Output | undefined): bigint | null =>
  output === null || output === undefined || output.length < 66 ? null : BigInt(output.slice(0, 66))

const addressWord = /^0x0{24}([0-9a-f]{40})$/

/** The address in a result; undefined for another result, and for the address 0. */
export function addressIn(output: Output | undefined): string | undefined {
  const [, digits] = addressWord.exec(output?.slice(0, 66) ?? '') ?? []
  return digits === undefined || /^0+$/.test(digits) ? undefined : `0x${digits}`
}

/** `aggregate3` of Multicall3: calls that may fail, one by one. */
const aggregate = viewCall('aggregate3((address,bool,bytes)[])')

const padded = (hex: string): string => hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')

/** The call data of Multicall3 for many calls, by the ABI of Solidity: offsets are in bytes. */
export function encodeCalls(calls: readonly ContractCall[]): string {
  const tuples = calls.map(({ to, data }) => {
    const bytes = data.slice(2)
    return [wordOf(to), wordOf(1), wordOf(96), wordOf(bytes.length / 2), padded(bytes)].join('')
  })
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const at = offset
    offset += tuple.length / 2
    return wordOf(at)
  })
  return [aggregate, wordOf(32), wordOf(calls.length), ...offsets, ...tuples].join('')
}

/** The results of many calls, null for those that failed; undefined if the answer is no such list. */
export function decodeOutputs(answer: string, n_calls: number): Output[] | undefined {
  const data = answer.slice(2)
  const numberAt = (at: number): number => Number.parseInt(data.slice(2 * at, 2 * at + 64), 16)
  const start = numberAt(0) + 32
  if (numberAt(0) !== 32 || numberAt(32) !== n_calls) return undefined
  const outputs: Output[] = []
  for (let n = 0; n < n_calls; n++) {
    const tuple = start + numberAt(start + 32 * n)
    const bytes = tuple + numberAt(tuple + 32)
    const length = numberAt(bytes)
    const from = 2 * (bytes + 32)
    const output = data.slice(from, from + 2 * length)
    if (!Number.isSafeInteger(length) || output.length !== 2 * length) return undefined
    outputs.push(numberAt(tuple) === 1 ? `0x${output}` : null)
  }
  return outputs
}

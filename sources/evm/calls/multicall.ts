import { viewCall } from './views.ts'

/** `aggregate3` of Multicall3: calls that may fail, one by one. */
const aggregate = viewCall('aggregate3((address,bool,bytes)[])')

const word = (value: number): string => value.toString(16).padStart(64, '0')
const padded = (hex: string): string => hex.padEnd(Math.ceil(hex.length / 64) * 64, '0')

/** The call data of many calls, by the ABI of Solidity: offsets are in bytes. */
export function encodeCalls(calls: readonly { to: string; data: string }[]): string {
  const tuples = calls.map(({ to, data }) => {
    const bytes = data.slice(2)
    return [to.slice(2).padStart(64, '0'), word(1), word(96), word(bytes.length / 2), padded(bytes)].join('')
  })
  let offset = calls.length * 32
  const offsets = tuples.map((tuple) => {
    const at = offset
    offset += tuple.length / 2
    return word(at)
  })
  return [aggregate, word(32), word(calls.length), ...offsets, ...tuples].join('')
}

/** The results of many calls, null for those that failed; undefined if the answer is no such list. */
export function decodeResults(answer: string, n_calls: number): (string | null)[] | undefined {
  const data = answer.slice(2)
  const numberAt = (at: number): number => Number.parseInt(data.slice(2 * at, 2 * at + 64), 16)
  const start = numberAt(0) + 32
  if (numberAt(0) !== 32 || numberAt(32) !== n_calls) return undefined
  const results: (string | null)[] = []
  for (let n = 0; n < n_calls; n++) {
    const tuple = start + numberAt(start + 32 * n)
    const bytes = tuple + numberAt(tuple + 32)
    const length = numberAt(bytes)
    const from = 2 * (bytes + 32)
    const result = data.slice(from, from + 2 * length)
    if (!Number.isSafeInteger(length) || result.length !== 2 * length) return undefined
    results.push(numberAt(tuple) === 1 ? `0x${result}` : null)
  }
  return results
}

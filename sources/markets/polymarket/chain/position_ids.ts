import { keccak_256 } from '@noble/hashes/sha3'

import { contracts } from './contracts.ts'

/** The prime of the field of alt_bn128, over which a collection is a point. */
const prime = 21888242871839275222246405745257275088696311157297823662689037894645226208583n

/** The token of a set of outcomes of a condition, as decimal digits. Bit i of the set is outcome i. */
export const positionId = (collateral: string, conditionId: string, indexSet: bigint): string =>
  BigInt(hashOf(collateral.slice(2), collectionId(conditionId, indexSet))).toString()

/** The tokens of the two outcomes of a condition. Those of a neg-risk condition are of wrapped collateral. */
export function tokenIds(conditionId: string, isNegRisk: boolean): [string, string] {
  const collateral = isNegRisk ? contracts.wrappedCollateral : contracts.usdce
  return [positionId(collateral, conditionId, 1n), positionId(collateral, conditionId, 2n)]
}

/** The condition of a question with two outcomes. */
export const conditionIdOf = (oracle: string, questionId: string): string =>
  hashOf(oracle.slice(2), questionId.slice(2), wordOf(2n))

/** The questions of a neg-risk market are its id with their index as the last byte. */
export const questionIdOf = (negRiskMarket: string, index: number): string =>
  `${negRiskMarket.slice(0, 64)}${index.toString(16).padStart(2, '0')}`

/** The neg-risk market of a question, and its index there. */
export const negRiskPlaceOf = (questionId: string): { market: string; index: number } => ({
  market: `${questionId.slice(0, 64)}00`,
  index: Number.parseInt(questionId.slice(64), 16),
})

/** A hash chooses the first point at or after it; its highest bit chooses between the two of that abscissa. */
function collectionId(conditionId: string, indexSet: bigint): string {
  const hash = BigInt(hashOf(conditionId.slice(2), wordOf(indexSet)))
  const isOdd = hash >> 255n !== 0n
  let [x, y] = [hash, 0n]
  for (;;) {
    x = (x + 1n) % prime
    const square = (x * x * x + 3n) % prime
    y = power(square, (prime + 1n) / 4n)
    if ((y * y) % prime === square) break
  }
  if (isOdd !== (y % 2n === 1n)) y = prime - y
  return wordOf(y % 2n === 1n ? x ^ (1n << 254n) : x)
}

function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, base % prime]
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest % 2n === 1n) result = (result * square) % prime
    square = (square * square) % prime
  }
  return result
}

const wordOf = (value: bigint): string => value.toString(16).padStart(64, '0')

/** The hash of bytes in hexadecimal. */
export const hashOf = (...parts: readonly string[]): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(parts.join(''), 'hex'))).toString('hex')}`

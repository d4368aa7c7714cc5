import { dexPrograms } from '#sources/solana/parse/programs.ts'

/**
 * The text of a transaction. `isDex`: it names a program that trades. `isLarge`: it has an integer that a double may
 * not hold.
 */
export type TransactionText = { text: string; isDex: boolean; isLarge: boolean }

/** An answer of `getBlock` in parts: the texts of its transactions, and its text without them. */
export type BlockTexts = { transactions: TransactionText[]; rest: string }

export const isTransactionText = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'text' in value && 'isDex' in value

/** The start of the list. A quote inside a text has a backslash before it, so that only a name matches. */
const listStart = /"transactions"\s*:\s*\[/

/**
 * Cuts an answer of `getBlock` into the texts of its transactions: votes are never parsed, and each other transaction
 * is parsed when its rows are made, so that a block is never in memory as objects. Undefined for an answer without a
 * list of transactions. Text that is no JSON gives parts that are none.
 */
export function transactionTextsOf(answer: string): BlockTexts | undefined {
  const list = listStart.exec(answer)
  if (list === null) return undefined
  const first = list.index + list[0].length
  const transactions: TransactionText[] = []
  let [depth, from, isDex, isLarge] = [0, first, false, false]
  const push = (to: number): void => {
    transactions.push({ text: answer.slice(from, to), isDex, isLarge })
    ;[from, isDex, isLarge] = [to + 1, false, false]
  }
  for (let at = first; at < answer.length; at++) {
    const code = answer.charCodeAt(at)
    if (code === quote) {
      const end = endOfText(answer, at)
      isDex ||= isDexProgram(answer, at + 1, end)
      at = end
    } else if (isDigit(code)) {
      const end = endOfDigits(answer, at)
      isLarge ||= end - at > safeDigits || (end - at === safeDigits && code === nine)
      at = end - 1
    } else if (code === comma) {
      if (depth === 0) push(at)
    } else if (isOpening(code)) depth++
    else if (isClosing(code) && depth-- === 0) {
      if (answer.slice(from, at).trim() !== '') push(at)
      return { transactions, rest: answer.slice(0, first) + answer.slice(at) }
    }
  }
  return undefined
}

const [quote, comma, backslash, zero, nine] = [34, 44, 92, 48, 57]
const isDigit = (code: number): boolean => code >= zero && code <= nine
const isOpening = (code: number): boolean => code === 123 || code === 91
const isClosing = (code: number): boolean => code === 125 || code === 93

/** A double holds all integers of as many digits that begin with another one than a nine. */
const safeDigits = 16

function endOfDigits(answer: string, start: number): number {
  let end = start + 1
  while (isDigit(answer.charCodeAt(end))) end++
  return end
}

/** The position of the quote that ends a text, or the end of an answer that is cut off. */
function endOfText(answer: string, start: number): number {
  let end = answer.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(answer, end)) end = answer.indexOf('"', end + 1)
  return end < 0 ? answer.length : end
}

function isEscaped(answer: string, at: number): boolean {
  let first = at
  while (answer.charCodeAt(first - 1) === backslash) first--
  return (at - first) % 2 === 1
}

/**
 * Whether a text is a program that trades. Few texts begin like one, and reading that costs less than looking it up.
 */
function isDexProgram(answer: string, from: number, to: number): boolean {
  if (to - from < 32 || to - from > 44) return false
  const start = answer.charCodeAt(from) * 128 + answer.charCodeAt(from + 1)
  return isStart[start] === 1 && dexPrograms.has(answer.slice(from, to))
}

const isStart = new Uint8Array(128 * 128)
for (const key of dexPrograms.keys()) isStart[key.charCodeAt(0) * 128 + key.charCodeAt(1)] = 1

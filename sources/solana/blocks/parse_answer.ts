import { parseExactJson } from '#sources/solana/parse/exact_json.ts'

import { transactionTextsOf } from './transaction_texts.ts'

type Fields = Record<string, unknown>
const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null

/**
 * Parses an answer of a node by `parseExactJson`, except that a block has its transactions as texts. A list of
 * transactions that is not that of a block stays as it is, which the shape of a block refuses.
 */
export function parseAnswer(text: string): unknown {
  const cut = transactionTextsOf(text)
  if (cut === undefined) return parseExactJson(text)
  const answer = parseExactJson(cut.rest)
  const block = isFields(answer) ? answer['result'] : undefined
  const list = isFields(block) ? block['transactions'] : undefined
  if (!isFields(block) || !Array.isArray(list) || list.length > 0) return parseExactJson(text)
  block['transactions'] = cut.transactions
  return answer
}

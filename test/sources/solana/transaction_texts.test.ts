import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { answerSolana, textOfAnswer } from '#sim/solana/node.ts'
import { openSolanaWorld } from '#sim/solana/world.ts'
import { parseAnswer } from '#sources/solana/blocks/parse_answer.ts'
import { keptOf } from '#sources/solana/blocks/raw_block.ts'
import { transactionTextsOf } from '#sources/solana/blocks/transaction_texts.ts'
import { parseExactJson } from '#sources/solana/parse/exact_json.ts'
import { dexPrograms } from '#sources/solana/parse/programs.ts'
import { sized } from '#test/run/sized.ts'

const program = 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'
/** JSON text that a scan may take for another thing. */
const hard = fc.constantFrom(
  JSON.stringify('],"transactions":[{'),
  JSON.stringify(String.raw`a\"b\\`),
  JSON.stringify(`Program ${program} invoke [1]`),
  JSON.stringify(program),
  '9007199254740993',
  '-18446744073709551615',
  '1234567890123456',
  '1e21',
  '[]',
  '{}',
)
const value = fc.oneof(hard, fc.json())
const element = fc.oneof(
  value,
  fc.dictionary(fc.string(), value).map((fields) => {
    const texts = Object.entries(fields).map(([name, one]) => `${JSON.stringify(name)} : ${one}`)
    return `{${texts.join(' ,')}}`
  }),
)

describe('transactionTextsOf', () => {
  test('cuts as JSON is parsed, and says of each transaction what it has', () => {
    fc.assert(
      fc.property(fc.array(element, { maxLength: 5 }), fc.constantFrom('', ' ', '\n  '), (elements, space) => {
        const list = elements.map((one) => `${space}${one}`).join(',')
        const answer = `{"id":0,"result":{"blockhash":"x","transactions"${space}:[${list}${space}],"blockTime":7}}`
        const { transactions = [], rest = '' } = transactionTextsOf(answer) ?? {}
        expect(JSON.parse(rest)).toEqual({ id: 0, result: { blockhash: 'x', transactions: [], blockTime: 7 } })
        expect(transactions.map(({ text }) => text.trim())).toEqual(elements.map((one) => one.trim()))
        for (const { text, isDex, isLarge } of transactions) {
          if (!isLarge) expect(JSON.parse(text)).toEqual(parseExactJson(text))
          expect(isDex).toBe(text.includes(JSON.stringify(program)))
        }
      }),
      { numRuns: sized(300, 1_200, 5_000) },
    )
  })

  test('knows every program that trades, and no other text', () => {
    const isDex = (text: string) => transactionTextsOf(`{"transactions":["${text}"]}`)?.transactions[0]?.isDex
    for (const address of dexPrograms.keys()) {
      expect(isDex(address)).toBe(true)
      expect(isDex(`${address}1`)).toBe(false)
      expect(isDex(address.slice(0, -1))).toBe(false)
    }
  })

  test('has no part of an answer that is cut off or has no list', () => {
    const answer = '{"result":{"transactions":[{"a":"\\"b"},{"c":[1]}]},"id":0}'
    expect(transactionTextsOf(answer)?.transactions).toHaveLength(2)
    for (let end = 0; end < answer.length; end++)
      expect(() => parseAnswer(answer.slice(0, end)), answer.slice(0, end)).toThrow(SyntaxError)
    expect(transactionTextsOf('{"result":null,"id":0}')).toBeUndefined()
  })
})

test('a list of transactions outside of a block is parsed', () => {
  for (const answer of ['{"error":{"data":{"transactions":[{"a":12345678901234567890}]}}}', '[{"transactions":[1]}]'])
    expect(parseAnswer(answer)).toEqual(parseExactJson(answer))
})

test.each([false, true])('the kept transactions are those of the whole block parsed, all but votes: %s', (isWhole) => {
  const n_slots = sized(60, 120, 400)
  const world = openSolanaWorld({ seed: 3, n_slots, start_s: 1_790_000_000, slot_s: 10, isLarge: true })
  let n_kept = 0
  for (const slot of world.blocks.keys()) {
    const call = { id: 1, method: 'getBlock', params: [slot, { encoding: 'json', maxSupportedTransactionVersion: 0 }] }
    const text = textOfAnswer(answerSolana(world, call, 2 * n_slots))
    const whole = parseExactJson(text) as Answer
    const truth = whole.result.transactions.flatMap((body, tx_index) =>
      isWanted(body, isWhole) ? [{ tx_index, body }] : [],
    )
    const kept = [...keptOf(transactionTextsOf(text)?.transactions ?? [], isWhole)]
    expect(kept.map(({ tx_index }) => tx_index)).toEqual(truth.map(({ tx_index }) => tx_index))
    for (const [n, { body }] of kept.entries()) expect(truth[n]?.body).toMatchObject(JSON.parse(JSON.stringify(body)))
    n_kept += kept.length
  }
  expect(n_kept).toBeGreaterThan(n_slots)
})

type Answer = { result: { transactions: Body[] } }
type Body = {
  transaction: { message: { accountKeys: string[] } }
  meta: { err: unknown; loadedAddresses?: { readonly: string[] } }
}

function isWanted({ transaction, meta }: Body, isWhole: boolean): boolean {
  const keys = [...transaction.message.accountKeys, ...(meta.loadedAddresses?.readonly ?? [])]
  const isVote = keys.some((key) => key.startsWith('Vote1111'))
  return (meta.err === null && keys.some((key) => dexPrograms.has(key))) || (isWhole && !isVote)
}

import { describe, expect, test } from 'vitest'

import { flowsOf } from '#scoring/core/trades/flows/net_flows.ts'
import { transactionTextsOf } from '#sources/solana/blocks/transaction_texts.ts'
import { parseExactJson } from '#sources/solana/parse/exact_json.ts'
import { deltasOf, native } from '#sources/solana/parse/movements.ts'
import { wrappedSol } from '#sources/solana/parse/programs.ts'
import { MalformedTransaction, readTransaction } from '#sources/solana/parse/transaction.ts'

import { isRecorded, readText } from './files.ts'
import { chainOf } from './reviewed.ts'
import { factsOf, readReviewedSolana, tradesIn, transactionsOfFile, type ReviewedLeg } from './solana_reviewed.ts'
import { statedByPump, statedByTransfers } from './solana_stated.ts'

const metamask = 'MetaMask__snap-solana-wallet/packages/snap/src/core/test/mocks/transactions-data'
const pump = {
  parser: 'Tee-py__solana-txn-parser/tests/pumpfun',
  bot: 'chainstacklabs__pumpfun-bonkfun-bot/learning-examples',
}
const usdc = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

/** A decimal amount in raw units. */
function unitsOf({ amount }: ReviewedLeg, decimals: number): bigint {
  const [whole = '0', fraction = ''] = amount.split('.')
  if (fraction.length > decimals) throw new Error(`${amount}: more than ${decimals} decimals`)
  return BigInt(whole + fraction.padEnd(decimals, '0'))
}

const short = (token: string): string => (token === native ? 'SOL' : token)
const tradesShown = (body: unknown): string[] =>
  tradesIn(body).map((trade) =>
    [trade.kind, trade.amount_sold, short(trade.token_sold), trade.amount_bought, short(trade.token_bought)].join(' '),
  )

describe.skipIf(!isRecorded)('Solana transactions', () => {
  const reviewed = isRecorded ? readReviewedSolana() : []

  test('of the seven reviewed trades give both legs in raw units, the fees of services included', () => {
    const compared = reviewed.map(({ name, wallet, body, sold, bought, fees }) => {
      const { decimals } = factsOf(body)
      const units = (leg: ReviewedLeg): bigint => unitsOf(leg, decimals.get(leg.token) ?? 0)
      const feesIn = ({ token }: ReviewedLeg): bigint =>
        fees.filter((fee) => fee.token === token).reduce((sum, fee) => sum + units(fee), 0n)
      const trade = tradesIn(body).find((one) => one.wallet === wallet)
      const ours = trade && [trade.token_sold, trade.amount_sold, trade.token_bought, trade.amount_bought]
      const truth = [sold.token, units(sold) + feesIn(sold), bought.token, units(bought) - feesIn(bought)]
      return { name, ours, truth }
    })
    expect(compared).toHaveLength(7)
    for (const { ours, truth } of compared) expect(ours).toEqual(truth)
  })

  test.each(['usdc', 'obric', 'sahur'].map((name) => `swap-sol-to-${name}.json`).concat('swap-usdc-to-jup.json'))(
    '%s trades what its own instructions move',
    (name) => {
      const [body] = transactionsOfFile(`${metamask}/${name}`)
      const { given, got } = statedByTransfers(body)
      expect(given).toBeGreaterThan(0n)
      expect(tradesIn(body)).toMatchObject([{ kind: 'swap', amount_sold: given, amount_bought: got }])
    },
  )

  test('on Pump.fun trade what the event of the program states, and its fee of one percent', () => {
    const [bought] = transactionsOfFile(`${pump.parser}/parsed-buy-txn.json`)
    const [sold] = transactionsOfFile(`${pump.parser}/parsed-sell-txn.json`)
    const [buy, sale] = [statedByPump(bought), statedByPump(sold)]
    if (buy === undefined || sale === undefined) throw new Error('no event; expected one of each trade')
    expect([buy.isBuy, sale.isBuy]).toEqual([true, false])
    expect(tradesIn(bought)).toMatchObject([
      { token_sold: native, amount_sold: buy.lamports + buy.lamports / 100n, amount_bought: buy.tokens },
    ])
    expect(tradesIn(sold)).toMatchObject([
      { amount_sold: sale.tokens, token_bought: native, amount_bought: sale.lamports - sale.lamports / 100n },
    ])
  })

  test('that create a token have the tokens of the event, and more lamports: fees of services and rent by transfer', () => {
    const [body] = transactionsOfFile(`${pump.bot}/raw_create_tx_from_gettransaction.json`)
    const event = statedByPump(body)
    // By the transfers of the transaction: two fees of the program, cash back, two services, and rent of two accounts.
    const more = 14_074_075n + 14_074_074n + 8_888_889n + 27_000_000n + 3_000_000n + 1_148_400n + 250_560n
    expect(tradesIn(body)).toMatchObject([
      { amount_sold: (event?.lamports ?? 0n) + more, amount_bought: event?.tokens },
    ])
  })

  test('by which a program trades for an account that does not sign are no trade of a wallet', () => {
    const [body] = transactionsOfFile(`${pump.bot}/raw_buy_tx_from_gettransaction.json`)
    expect(statedByPump(body)).toMatchObject({ lamports: 0n, tokens: 445_377_137_871n })
    expect(tradesIn(body)).toEqual([])
  })

  // The amounts of trades are those of the tests above, in one list with the transactions that are none.
  test.each([
    [`${metamask}/swap-sol-to-usdc.json`, [`swap 1000000 SOL 167225 ${usdc}`]],
    [`${metamask}/swap-sol-to-obric.json`, [`swap 1000000 ${usdc} 5903984 SOL`]],
    [
      `${metamask}/swap-sol-to-sahur.json`,
      ['swap 10000000 SOL 4036960523 DNrmDMs2czDaAwgzg2BmvM7Jn5ZqA6VN5huRqCrSpump'],
    ],
    [`${metamask}/swap-usdc-to-jup.json`, [`swap 1100000 ${usdc} 2143812 JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN`]],
    [`${metamask}/failed-swap.json`, []],
    [`${metamask}/swap-failed-transaction.json`, []],
    [`${metamask}/native-sol-transfer.json`, []],
    [`${metamask}/send-spl-token-and-create-token-account.json`, []],
    [`${metamask}/spam.json`, []],
    [
      `${pump.parser}/parsed-buy-txn.json`,
      ['swap 80441802 SOL 724879458841 FstBRGMkNKf4wNvfieYUPS9YsbNoQJMCh6v89zajpump'],
    ],
    [
      `${pump.parser}/parsed-sell-txn.json`,
      ['swap 94443000000 FstBRGMkNKf4wNvfieYUPS9YsbNoQJMCh6v89zajpump 3520709 SOL'],
    ],
  ])('%s keep their trades', (path, expected) => {
    expect(transactionsOfFile(path).flatMap(tradesShown)).toEqual(expected)
  })

  test('of a payment show what each side gave and got, and the rent of the new account', () => {
    const [body] = transactionsOfFile(`${metamask}/send-spl-token-and-create-token-account.json`)
    const { facts, fee } = factsOf(body)
    const flows = flowsOf(facts, chainOf('solana')).map(({ token, amount }) => [token, amount])
    expect(flows).toEqual([['HeLp6NuQkmYB4pYWo2zYs22mESHXPQYzXbB8n4V98jwC', -10_000_000n]])
    expect(fee).toBe(5_222n + 2_074_080n)
  })

  test('neither make nor lose lamports', () => {
    const paths = [
      ...reviewed.map(({ body }) => body),
      ...[`${pump.bot}/raw_create_tx_from_gettransaction.json`, `${metamask}/spam.json`].flatMap(transactionsOfFile),
    ]
    for (const body of paths) {
      const tx = readTransaction(body)
      const owned = [...deltasOf(tx).values()].reduce((sum, tokens) => sum + (tokens.get(native) ?? 0n), 0n)
      const indexes = new Set(tx.tokens.map(({ index }) => index))
      const inAccounts = [...indexes].reduce((sum, n) => sum + BigInt(tx.post[n] ?? 0) - BigInt(tx.pre[n] ?? 0), 0n)
      const wrapped = tx.tokens
        .filter(({ mint }) => mint === wrappedSol)
        .reduce((sum, { pre, post }) => sum + (post ?? 0n) - (pre ?? 0n), 0n)
      expect(owned + inAccounts - wrapped).toBe(0n)
    }
  })

  test('of recorded blocks are cut as JSON is parsed', () => {
    for (const name of ['block', 'block_241043141_v2', 'block_with_versioned_tx', 'block_account_deletion']) {
      const text = readText(`coinbase__chainstorage/internal/utils/fixtures/parser/solana/${name}.json`)
      const { transactions = [], rest = '' } = transactionTextsOf(text) ?? {}
      expect(transactions.length).toBeGreaterThan(0)
      const bodies = transactions.map((one) => parseExactJson(one.text))
      expect({ ...(JSON.parse(rest) as object), transactions: bodies }).toEqual(parseExactJson(text))
    }
  })

  test('without balances are refused with the reason', () => {
    const [body] = transactionsOfFile(
      'coinbase__chainstorage/internal/utils/fixtures/parser/solana/block_no_preBalances.json',
    )
    expect(() => readTransaction(body)).toThrow(MalformedTransaction)
  })
})

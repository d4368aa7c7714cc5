import fc, { type Arbitrary } from 'fast-check'
import { expect, test } from 'vitest'

import { decoders, topicsOf } from '#sources/evm/decode/decode_log.ts'

import { rowOf, someLog, topicOf } from './abi.ts'

type Args = Record<string, bigint & number & boolean & string>
/** The amounts that came into the pool, and the parties or tokens, as the event's documentation has them. */
type Expected = (args: Args, address: string) => Record<string, unknown>

const big = (value: unknown): bigint => BigInt(String(value))
const low = (packed: unknown): bigint => big(packed) % 2n ** 128n
const high = (packed: unknown): bigint => big(packed) / 2n ** 128n
const coins = { coin0_index: 0, coin1_index: 1 }

const signed: Expected = ({ amount0, amount1, sender, recipient }, pool) => ({
  ...coins,
  pool,
  amount0,
  amount1,
  sender,
  recipient,
})
const turned: Expected = ({ id, amount0, amount1, sender }) => ({
  ...coins,
  pool: id,
  amount0: -big(amount0),
  amount1: -big(amount1),
  sender,
})
const net: Expected = ({ amount0In, amount1In, amount0Out, amount1Out, to }, pool) => ({
  pool,
  amount0: big(amount0In) - big(amount0Out),
  amount1: big(amount1In) - big(amount1Out),
  recipient: to,
})
const exchange: Expected = ({ buyer, sold_id, tokens_sold, bought_id, tokens_bought }, pool) => ({
  pool,
  coin0_index: Number(sold_id),
  coin1_index: Number(bought_id),
  amount0: tokens_sold,
  amount1: -big(tokens_bought),
  recipient: buyer,
})
const inOut =
  (pool: string): Expected =>
  (args, address) => ({
    pool: pool === '' ? address : String(args[pool]).slice(0, 42),
    token0: args['tokenIn'],
    token1: args['tokenOut'],
    amount0: args['amountIn'] ?? args['tokenAmountIn'],
    amount1: -big(args['amountOut'] ?? args['tokenAmountOut']),
  })
const maverick =
  (isFirstIn: (args: Args) => boolean): Expected =>
  (args, pool) => {
    const [amountIn, amountOut] = [big(args['amountIn']), -big(args['amountOut'])]
    return { pool, amount0: isFirstIn(args) ? amountIn : amountOut, amount1: isFirstIn(args) ? amountOut : amountIn }
  }
/** Names of the arguments: token sold, amount sold, token bought, amount bought, then more columns. */
const legs =
  (names: string, more: Record<string, string> = {}): Expected =>
  (args) => {
    const [token0 = '', amount0 = '', token1 = '', amount1 = ''] = names.split(' ')
    return {
      token0: args[token0],
      amount0: args[amount0],
      token1: args[token1],
      amount1: -big(args[amount1]),
      ...Object.fromEntries(Object.entries(more).map(([column, name]) => [column, args[name]])),
    }
  }

/** By the first eight digits of the published hash. */
const expected: Record<string, [family: string, of: Expected]> = {
  d78ad95f: ['uniswap_v2', net],
  b3e27736: ['solidly', net],
  c42079f9: ['uniswap_v3', signed],
  '19b47279': ['pancake_v3', signed],
  '121cb44e': ['algebra_integral', signed],
  '40e9cecb': ['uniswap_v4', turned],
  '04206ad2': ['pancake_infinity_cl', turned],
  '3e8aae37': ['pancake_infinity_bin', turned],
  '8b3e96f2': ['curve_stable', exchange],
  b2e76ae9: ['curve_crypto', exchange],
  '143f1f8e': ['curve_crypto_ng', exchange],
  d013ca23: ['curve_meta', exchange],
  c6c1e063: [
    'saddle',
    ({ soldId, boughtId, tokensSold, tokensBought }, pool) => ({
      pool,
      coin0_index: Number(soldId),
      coin1_index: Number(boughtId),
      amount0: tokensSold,
      amount1: -big(tokensBought),
    }),
  ],
  '2170c741': ['balancer_v2', inOut('poolId')],
  '0874b2d5': ['balancer_v3', inOut('pool')],
  '908fb5ee': ['balancer_v1', inOut('')],
  ad7d6f97: [
    'liquidity_book',
    ({ amountsIn, amountsOut, to }, pool) => ({
      pool,
      recipient: to,
      amount0: low(amountsIn) - low(amountsOut),
      amount1: high(amountsIn) - high(amountsOut),
    }),
  ],
  '3b841dc9': ['maverick_v1', maverick(({ tokenAIn }) => tokenAIn === true)],
  '103ed084': ['maverick_v2', maverick(({ params }) => Object(params).tokenAIn === true)],
  c2c0245e: ['dodo_v2', legs('fromToken fromAmount toToken toAmount', { sender: 'trader', recipient: 'receiver' })],
  d8648b6a: ['dodo_v1', ({ payBase, receiveQuote }) => ({ amount0: payBase, amount1: -big(receiveQuote) })],
  e93ad760: ['dodo_v1', ({ payQuote, receiveBase }) => ({ amount0: -big(receiveBase), amount1: payQuote })],
  '74ef34e2': ['woofi', legs('fromToken fromAmount toToken toAmount', { sender: 'from', recipient: 'to' })],
  '0e8e403c': ['woofi', legs('fromToken fromAmount toToken toAmount', { sender: 'from', recipient: 'to' })],
  '54787c40': ['wombat', legs('fromToken fromAmount toToken toAmount', { sender: 'sender', recipient: 'to' })],
  dc004dbc: [
    'fluid',
    (args, pool) => ({ ...maverick(({ swap0to1 }) => swap0to1 === true)(args, pool), recipient: args['to'] }),
  ],
  add7095b: ['bebop', () => ({ amount0: null, pool: null })],
  '0f6672f7': ['zerox', legs('inputToken inputTokenAmount outputToken outputTokenAmount', { trader: 'taker' })],
  a07a543a: ['cow', legs('sellToken sellAmount buyToken buyAmount', { trader: 'owner' })],
  d6d4f568: ['swapped', legs('srcToken spentAmount dstToken returnAmount', { recipient: 'dstReceiver' })],
  e00361d2: ['paraswap_v5', legs('srcToken srcAmount destToken receivedAmount', { recipient: 'beneficiary' })],
  '4cc7e95e': ['paraswap_v5', legs('srcToken srcAmount destToken receivedAmount', { sender: 'initiator' })],
  d2d73da2: ['paraswap_v5', legs('srcToken srcAmount destToken receivedAmount', { sender: 'initiator' })],
  '27c98e91': ['woofi_router', legs('fromToken fromAmount toToken toAmount', { sender: 'from', recipient: 'to' })],
  '823eaf01': ['odos_v2', legs('inputToken inputAmount outputToken amountOut', { sender: 'sender' })],
  '38eee76f': ['lifi', legs('fromAssetId fromAmount toAssetId toAmount', { recipient: 'receiver' })],
  '84b514c5': ['sushi_route', legs('tokenIn amountIn tokenOut amountOut', { sender: 'from', recipient: 'to' })],
  '2db5ddd0': ['sushi_route', legs('tokenIn amountIn tokenOut amountOut', { sender: 'from', recipient: 'to' })],
  '829fa99d': [
    'zerox_rfq',
    legs('takerToken takerTokenFilledAmount makerToken makerTokenFilledAmount', { pool: 'maker', sender: 'taker' }),
  ],
  ac75f773: [
    'zerox_otc',
    legs('takerToken takerTokenFilledAmount makerToken makerTokenFilledAmount', { pool: 'maker', sender: 'taker' }),
  ],
  ab614d2b: [
    'zerox_limit',
    legs('takerToken takerTokenFilledAmount makerToken makerTokenFilledAmount', { pool: 'maker', sender: 'taker' }),
  ],
  '6621486d': [
    'paraswap_rfq',
    legs('takerAsset takerAmount makerAsset makerAmount', { pool: 'maker', sender: 'taker' }),
  ],
  '34f57786': ['hashflow', legs('baseToken baseTokenAmount quoteToken quoteTokenAmount', { sender: 'trader' })],
  b9ed0243: ['oneinch_limit_v5', ({ maker }) => ({ pool: maker, trader: maker, amount0: null })],
  '78ad7ec0': ['uniswap_x', ({ filler, swapper }) => ({ sender: filler, trader: swapper, amount0: null })],
  '75d58426': [
    'tokenlon',
    (args, pool) => ({
      ...legs('takerAssetAddr takerAssetAmount makerAssetAddr settleAmount', { trader: 'userAddr' })(args, pool),
      pool: null,
      recipient: args['receiverAddr'],
    }),
  ],
  fec33135: ['oneinch_limit_v6', () => ({ amount0: null, trader: null })],
  '7f4fe3ff': ['zerox_meta', ({ signer }) => ({ trader: signer, amount0: null })],
  beee1e6e: ['metamask', ({ sender }) => ({ sender, amount0: null })],
  e87568fe: ['odos_v1', ({ sender }) => ({ sender, amount0: null })],
}

const bytes = (values: readonly number[]): string => `0x${Buffer.from(values).toString('hex')}`
/** Coins have positions of a byte; other values are any of their type. */
const few: Record<string, Arbitrary<unknown>> = Object.fromEntries(
  ['sold_id', 'bought_id', 'soldId', 'boughtId'].map((name) => [name, fc.bigInt(0n, 255n)]),
)

const digits = (topic0: string): string => topic0.slice(2, 10)

test('the events of swaps have their published hashes', () => {
  expect(topicsOf('swaps').map(digits).toSorted()).toEqual(Object.keys(expected).toSorted())
})

test.each(decoders.filter(({ dataset = 'swaps' }) => dataset === 'swaps'))('$event', ({ event }) => {
  const [family, of] = expected[digits(topicOf(event))] ?? []
  if (of === undefined) throw new Error(`${event}: nothing is expected of it`)
  fc.assert(
    fc.property(someLog(event, few), ({ log, args }) => {
      expect(rowOf(log)).toMatchObject({ dataset: 'swaps', row: { family, ...of(args as Args, log.address) } })
    }),
    { numRuns: 100 },
  )
})

const creations = decoders.filter(({ event }) => /^event (PairCreated|PoolCreated|Pool)\(/.test(event))

test.each(creations)('$event', ({ event }) => {
  fc.assert(
    fc.property(someLog(event), ({ log, args }) => {
      const { token0, token1, pair, pool } = args
      const row = { pool: pair ?? pool, tokens: [token0, token1], factory: log.address }
      expect(rowOf(log)).toMatchObject({ dataset: 'pools', row })
    }),
    { numRuns: 50 },
  )
})

test('a join or an exit of a pool of Balancer is no swap', () => {
  const event = decoders.find(({ event: text }) => topicOf(text).startsWith('0x2170c741'))?.event ?? ''
  const pool = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((values) => bytes([...values]))
  fc.assert(
    fc.property(
      pool.chain((token) =>
        fc.oneof(
          ...['tokenIn', 'tokenOut'].map((side) =>
            someLog(event, { [side]: fc.constant(token), poolId: fc.constant(`${token}${'0'.repeat(24)}`) }),
          ),
        ),
      ),
      ({ log }) => {
        expect(rowOf(log)).toBe(undefined)
      },
    ),
  )
})

test('the native coin of routers is named so, by either address', () => {
  const event = decoders.find(({ event: text }) => topicOf(text).startsWith('0x0f6672f7'))?.event ?? ''
  const native = fc.constantFrom(`0x${'e'.repeat(40)}`, `0x${'0'.repeat(40)}`)
  fc.assert(
    fc.property(someLog(event, { outputToken: native }), ({ log }) => {
      expect(rowOf(log)).toMatchObject({ row: { token1: 'native' } })
    }),
  )
})

import { z } from 'zod'

import { toRows } from '#lake/units/column_batch.ts'
import type {
  ChainFacts,
  OperationFact,
  SwapFact,
  TransactionFacts,
  TransferFact,
} from '#scoring/core/trades/flows/facts.ts'
import { openSwapBatch } from '#sources/evm/blocks/swap_batch.ts'

import { readJson } from './files.ts'

/** A trade as people reviewed it. Amounts are decimals of tokens; fees are listed beside the legs. */
export type Reviewed = {
  family: string
  name: string
  chain: string
  tx: string
  wallet: string
  sold: Leg
  bought: Leg
  fees: Leg[]
  /** The amounts of the sold asset that came back. */
  refunds: Leg[]
  facts: TransactionFacts
  /** The transaction and its receipt, as raw JSON-RPC. */
  mined: { transaction: unknown; receipt: unknown }
}
type Leg = { token: string; amount: string }

const event = z.object({
  cls: z.string(),
  event_type: z.string().optional(),
  event_subtype: z.string(),
  asset: z.string(),
  amount: z
    .union([z.string(), z.number()])
    .transform((amount) => ({ ZERO: '0', ONE: '1' })[String(amount)] ?? String(amount)),
  location_label: z.string(),
  address: z.string().nullish(),
})
const reviewedFile = z.record(
  z.string(),
  z.record(
    z.string(),
    z.object({
      tx: z.string(),
      accounts: z.record(z.string(), z.array(z.string())),
      fixture: z.string(),
      events: z.array(event),
    }),
  ),
)
const internalCall = z.looseObject({ from: z.string(), to: z.string(), value: z.string(), isError: z.string() })
const fixtureFile = z.object({
  txs: z.record(z.string(), z.unknown()),
  receipts: z.record(z.string(), z.unknown()),
  internal: z.record(z.string(), z.array(internalCall)).optional(),
})

/** The chains of the review, by the names of their accounts, with the wrapped coin. */
const wrapped: Record<string, string> = {
  ethereum: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  base: '0x4200000000000000000000000000000000000006',
  optimism: '0x4200000000000000000000000000000000000006',
  arbitrum_one: '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  polygon_pos: '0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270',
  gnosis: '0xe91d153e0b41518a2ce8dd3d7944fa863463a97d',
  binance_sc: '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  hyperliquid: '0x5555555555555555555555555555555555555555',
}

const polygonCoin = '0x0000000000000000000000000000000000001010'

/** Tokens that the review names by a symbol. */
const named: Record<string, string> = {
  A_USDC: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  A_USDT: '0xdac17f958d2ee523a2206206994597c13d831ec7',
  A_DAI: '0x6b175474e89094c44da98b954eedeac495271d0f',
  A_WBTC: '0x2260fac5e5542a773aa44fbcfedf7c193bc2c599',
  A_AAVE: '0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9',
  A_LUSD: '0x5f98805a4e8be255a32880fdec7f6728c6568ba0',
  A_ENS: '0xc18360217d8f7ab5e7c516566761ea12ce7f9d72',
  A_SUSHI: '0x6b3595068778dd592e39a122f4f5a5cf09c90fe2',
  A_LINK: '0x514910771af9ca656af840dff83e8264ecf986ca',
  A_KP3R: '0x1ceb5cb57c4d4e2b2433641b95dd330a33185a44',
  A_PSP: '0xcafe001067cdef266afb7eb5a286dcfd277f3de5',
  A_SNX: '0xc011a73ee8576fb46f5e1c5751ca3b9fe0af2a6f',
  A_AERO: '0x940181a94a35a4569e4529a3cdfb74e38fd98631',
  A_OP: '0x4200000000000000000000000000000000000042',
  A_ARB: '0x912ce59144191c1204e64559fe8253a0e49e6548',
  A_OPTIMISM_USDT: '0x94b008aa00579c1307b0ef2c499ad98a8ce58e58',
  A_OPTIMISM_USDC: '0x0b2c639c533813f4aa9d7837caf62653d097ff85',
  A_POLYGON_POS_USDC: '0x3c499c542cef5e3811e1192ce70d8cc03d5c3359',
  A_WETH_POLYGON: '0x7ceb23fd6bc0add59e62ac25578270cff1b9f619',
  A_GNOSIS_VCOW: '0xc20c9c13e853fc64d054b73ff21d3636b2d97eab',
}
const natives = new Set('A_ETH ETH A_POL A_XDAI A_BSC_BNB A_HYPE A_WETH A_WETH_ARB A_WXDAI'.split(' '))

/** The token of an asset of the review. The wrapped coin is `native`, as in flows. */
function tokenOf(asset: string, chain: string): string {
  if (natives.has(asset)) return 'native'
  const token = named[asset] ?? /0x[0-9a-fA-F]{40}/.exec(asset)?.[0]?.toLowerCase()
  if (token === undefined) throw new Error(`${asset}: unknown asset; expected an address or a symbol of the table`)
  return token === wrapped[chain] || token === polygonCoin ? 'native' : token
}

/** The facts of a chain without a request to it. The pools are unknown, as in a fresh installation. */
export const chainOf = (chain: string): ChainFacts => ({
  wrapped: wrapped[chain] ?? null,
  tokensOf: () => undefined,
  isPlain: () => false,
  isContract: () => undefined,
  usdOf: () => null,
})

/** All reviewed trades on EVM chains, with the rows that the decoders give for their transactions. */
export function readReviewed(): Reviewed[] {
  const families = reviewedFile.parse(readJson('rotki__rotki/expected_swaps.json'))
  return Object.entries(families)
    .filter(([family]) => !family.startsWith('solana'))
    .flatMap(([family, tests]) =>
      Object.entries(tests).flatMap(([name, { tx, accounts, fixture, events }]) => {
        const [[chains, wallets] = ['', []]] = Object.entries(accounts)
        const chain = chains.replace(/_accounts$/, '')
        const { facts, mined } = factsOf(fixture, tx, chain)
        return legsOf(events, chain, wallets).map((trade) => ({
          ...trade,
          family: family.replace('decoders/test_', ''),
          name,
          chain,
          tx,
          facts,
          mined,
        }))
      }),
    )
}

/** The trades of a transaction: each begins with what was spent. */
function legsOf(
  events: readonly z.infer<typeof event>[],
  chain: string,
  wallets: readonly string[],
): Pick<Reviewed, 'wallet' | 'sold' | 'bought' | 'fees' | 'refunds'>[] {
  const swaps = events.filter(({ cls }) => cls === 'EvmSwapEvent')
  const starts = swaps.flatMap(({ event_subtype }, n) => (event_subtype === 'SPEND' ? [n] : []))
  return starts.map((start, n) => {
    const group = swaps.slice(start, starts[n + 1])
    const toLegs = (of: readonly z.infer<typeof event>[]): Leg[] =>
      of.map(({ asset, amount }) => ({ token: tokenOf(asset, chain), amount }))
    const legs = (subtype: string): Leg[] => toLegs(group.filter((one) => one.event_subtype === subtype))
    const [[sold], [bought], label = ''] = [legs('SPEND'), legs('RECEIVE'), swaps[start]?.location_label]
    // A token may burn a part of what is sold; the review lists it as a movement to the zero address.
    const burnt = toLegs(events.filter(({ cls, address }) => cls === 'EvmEvent' && address === 'ZERO_ADDRESS'))
    const refunds = toLegs(events.filter(({ event_subtype }) => event_subtype === 'REFUND'))
    if (sold === undefined || bought === undefined) throw new Error('a reviewed trade without two legs')
    const [, nth] = /^user_address_(\d)$/.exec(label) ?? []
    const wallet = nth === undefined ? label : (wallets[Number(nth) - 1] ?? '')
    return { wallet: wallet.toLowerCase(), sold, bought, fees: [...legs('FEE'), ...burnt], refunds }
  })
}

/** The rows of a transaction, decoded from its raw receipt. Internal transfers are there if they were recorded. */
export function factsOf(fixture: string, tx: string, chain: string): Pick<Reviewed, 'facts' | 'mined'> {
  const { txs, receipts, internal } = fixtureFile.parse(readJson(`rotki__test-caching/${fixture}`))
  const collection = openSwapBatch(new Set())
  const mined = { transaction: txs[tx], receipt: receipts[tx] }
  collection.addTransaction({ chain, ts: 0 }, mined)
  const { transactions, swaps, transfers, user_operations } = collection.rows()
  const [transaction] = toRows(transactions)
  if (transaction === undefined) throw new Error(`${tx}: ${collection.rejected[0]?.reason}`)
  // Some responses were recorded twice.
  const calls = new Map((internal?.[tx] ?? []).map((call) => [JSON.stringify(call), call]))
  const internals = [...calls.values()]
    .filter(({ value, isError }) => value !== '0' && isError === '0')
    .map(({ from, to, value }, n) => ({
      log_index: -1 - n,
      kind: 'internal',
      token: 'native',
      sender: from.toLowerCase(),
      recipient: to.toLowerCase(),
      amount: BigInt(value),
    }))
  const facts = {
    ...(transaction as Pick<TransactionFacts, 'sender' | 'recipient' | 'amount' | 'is_ok'>),
    is_traced: false,
    swaps: toRows(swaps) as SwapFact[],
    transfers: [...(toRows(transfers) as TransferFact[]), ...internals],
    operations: toRows(user_operations) as OperationFact[],
  }
  return { facts, mined }
}

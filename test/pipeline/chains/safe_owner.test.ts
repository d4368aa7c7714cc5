import { expect, test } from 'vitest'
import { z } from 'zod'

import { publish } from '#builder/publish.ts'
import type { Unit } from '#lake/units/unit.ts'
import { columns } from '#scoring/columns/columns.ts'
import { loadExplain, loadScoring } from '#scoring/index.ts'
import { accountRows } from '#sources/evm/addresses/read_accounts.ts'
import { safeViews } from '#sources/evm/addresses/safe.ts'
import { newLake, storeRows } from '#test/lake/fixture.ts'

import { openExplanations } from './explained.ts'
import { serveWallets } from './served_wallets.ts'

const day_us = 86_400_000_000
const asOf = Date.UTC(2026, 10, 20) * 1000
const address = (digit: string): string => `0x${digit.repeat(40)}`
const [owner, safe, other, pool, router, token] = ['1', '2', '3', '4', '5', '6'].map(address) as [
  string,
  string,
  string,
  string,
  string,
  string,
]
const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const usd = 10n ** 6n
const whole = 10n ** 18n

type Movement = { token: string; from: string; to: string; amount: bigint }
/** A transaction that an account sent to a contract, with its movements. */
type Sent = { days: number; from: string; to: string; moves: readonly Movement[]; isSwap: boolean }

const swap = (
  wallet: string,
  days: number,
  sold: Omit<Movement, 'from' | 'to'>,
  bought: Omit<Movement, 'from' | 'to'>,
): Sent => ({
  days,
  from: wallet === safe ? owner : wallet,
  to: wallet === safe ? safe : router,
  moves: [
    { ...sold, from: wallet, to: pool },
    { ...bought, from: pool, to: wallet },
  ],
  isSwap: true,
})
const send = (days: number, from: string, to: string, amount: bigint): Sent => ({
  days,
  from: from === safe ? owner : from,
  to: from === safe ? safe : token,
  moves: [{ token, from, to, amount }],
  isSwap: false,
})
const dollars = (n: bigint) => ({ token: usdc, amount: n * usd })
const tokens = (n: bigint) => ({ token, amount: n * whole })

/** The owner buys 100 for 1,000 dollars; the Safe gets 40 of them and sells 30; the owner gets 5 back and sells 65. */
const story: readonly Sent[] = [
  swap(owner, 19, dollars(1_000n), tokens(100n)),
  send(18, owner, safe, 40n * whole),
  swap(safe, 15, tokens(30n), dollars(600n)),
  send(14, safe, owner, 5n * whole),
  swap(owner, 10, tokens(65n), dollars(500n)),
  // A stranger gets as much, at the market: it bears no cost of the owner.
  swap(other, 9, dollars(10n), tokens(1n)),
]

const unit = (source: string, kind: Unit['kind'], from: number, to: number): Unit => ({
  source,
  kind,
  part: 'ethereum',
  key: '',
  from,
  to,
  params: [],
})

/** The rows of the transactions as `evm_swaps` writes them, one in a block. */
function rowsOf(sent: readonly Sent[]) {
  const placed = sent.map((one, block) => {
    const place = { chain: 'ethereum', block, tx_index: 0, tx: `0x${String(block).padStart(64, '0')}` }
    return { ...one, place, ts: asOf - one.days * day_us }
  })
  const nothing = { coin0_index: 0, coin1_index: 1, token0: null, token1: null, sender: null, recipient: null }
  return {
    transactions: placed.map(({ place, ts, from, to }) => {
      const cost = { nonce: null, is_ok: true, gas_used: null, amount_fee: 0n, amount_l1_fee: null }
      return { ...place, ts, sender: from, recipient: to, amount: 0n, ...cost }
    }),
    transfers: placed.flatMap(({ place, ts, moves }) =>
      moves.map(({ from, to, ...move }, log_index) => {
        return { ...place, ts, log_index, kind: 'transfer', sender: from, recipient: to, ...move }
      }),
    ),
    swaps: placed.flatMap(({ place, ts, moves, isSwap }) => {
      const amountOf = (of: string): bigint =>
        moves.reduce((sum, { token: moved, to, amount }) => (moved === of ? (to === pool ? amount : -amount) : sum), 0n)
      const event = { family: 'uniswap_v2', pool, trader: null, sqrt_price: null, liquidity: null, emitter: null }
      const amounts = { amount0: amountOf(token), amount1: amountOf(usdc) }
      return isSwap ? [{ ...place, ts, log_index: 2, ...nothing, ...event, ...amounts }] : []
    }),
    user_operations: [],
  }
}

/** The addresses as a node describes them: the code of Safe's proxy 1.3.0, its implementation and its owners. */
function described(owners: readonly string[]) {
  const word = (text: string): string => text.padStart(64, '0')
  const [implementation = '', ownersView = ''] = safeViews
  const list = [word('20'), word(String(owners.length)), ...owners.map((one) => word(one.slice(2)))].join('')
  const results = {
    [implementation]: `0x${word('d9db270c1b5e3bd161e8c8503c55ceabee709552')}`,
    [ownersView]: `0x${list}`,
  }
  const plain = { named_s: 0, isSender: true, isDelegated: false, first_tx_s: null, code_hash: null, results: {} }
  const code_hash = '0xb89c1b3bdf2cf8827818646bce9a8f6e372885f8c55e5c07acbd307cb133b000'
  const accounts = [owner, other].map((one) => ({ ...plain, address: one }))
  return accountRows('ethereum', [...accounts, { ...plain, address: safe, code_hash, results }], asOf - day_us)
}

/** The prices of this story are of few traders. */
const profileShape = z.object({ pnl: z.object({ realized_all_time: z.literal(0), unranked_all_time: z.number() }) })

/** The unranked results that the API and the explanation give, by wallet. */
async function resultsOf(owners: readonly string[]) {
  const lake = await newLake()
  const seen_at = asOf - day_us
  const info = { chain: 'ethereum', seen_at, name: null, standard: 'erc20' }
  const known = {
    pools: [
      {
        chain: 'ethereum',
        pool,
        seen_at,
        family: 'uniswap_v2',
        tokens: [token, usdc],
        factory: null,
        created_at: null,
        created_tx: null,
      },
    ],
    tokens: [
      { ...info, token: usdc, symbol: 'USDC', decimals: 6 },
      { ...info, token, symbol: 'SIX', decimals: 18 },
    ],
  }
  await storeRows(lake, unit('evm_swaps', 'blocks', 0, story.length), rowsOf(story), {
    to: story.length,
    state: 'done',
  })
  await storeRows(lake, unit('evm_tokens', 'observation', seen_at, seen_at), known)
  await storeRows(lake, unit('evm_addresses', 'observation', seen_at, seen_at), { addresses: described(owners) })
  const scoring = { models: await loadScoring(), macros: await loadExplain(), columns }
  await publish(lake, 'scores', { ...scoring, asOf, threads: 1, memory: '1GB', now: () => asOf })
  const served = await serveWallets(lake.home, {})
  const explain = await openExplanations(lake.home)
  const of = async (wallet: string) => {
    const response = await served.ask(`wallet?address=${wallet}&chain=ethereum`)
    const { pnl } = profileShape.parse(await response.json())
    const { realized } = await explain(wallet)
    expect(Number(realized) / 1e6).toBeCloseTo(pnl.unranked_all_time, 2)
    return pnl.unranked_all_time
  }
  return { owner: await of(owner), safe: await of(safe) }
}

test('lots go to a Safe and back to its only owner at their cost, and nowhere else', async () => {
  // The Safe sells 30 that cost 300 for 600. The owner sells 65 that cost 650 for 500, of which 5 came back.
  expect(await resultsOf([owner])).toEqual({
    owner: -150,
    safe: 300,
  })
  // A Safe of two owners has no single owner. A price of few traders is thin, so deposits have no cost and no result.
  expect(await resultsOf([owner, other])).toEqual({
    owner: -138.46,
    safe: 0,
  })
})

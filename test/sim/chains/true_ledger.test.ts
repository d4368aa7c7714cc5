import { describe, expect, test } from 'vitest'

import { funds } from '#sim/chains/holdings.ts'
import { answerRpc } from '#sim/chains/node.ts'
import { tokensOf, walletOf, type SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { trueLedger } from '#sim/chains/true_ledger.ts'
import { trueBooks, trueResults } from '#sim/evm/ledger/true_results.ts'

const dollar = `0x${'d'.repeat(40)}`
const wrapped = `0x${'e'.repeat(40)}`
const base: SimulatedChain = { slug: 'base', id: 8453, seed: 7, block_s: 2, start_s: 1_790_000_000, dollar, wrapped }
const optimism: SimulatedChain = { ...base, slug: 'optimism', id: 10 }
const head = 400
const always = { from_s: 0, to_s: 2_000_000_000 }

describe('the ledger of a simulated chain', () => {
  test('has the dollar and the wrapped coin that the chain is given, and their views', () => {
    expect(tokensOf(base)[0]?.address).toBe(wrapped)
    const call = { jsonrpc: '2.0', id: 1, method: 'eth_call', params: [{ to: dollar, data: '0x313ce567' }, 'latest'] }
    expect(answerRpc(base, call, base.start_s + 100)).toMatchObject({ result: `0x${'6'.padStart(64, '0')}` })
    const { trades } = trueLedger(base, head)
    expect(trades.some(({ token_bought }) => token_bought === 'native')).toBe(true)
    expect(trades.filter(({ token_sold, token_bought }) => token_sold !== dollar && token_bought !== dollar)).toEqual(
      [],
    )
  })

  test('realizes the difference of what each closed position was paid and was sold for, less gas', () => {
    const ledger = trueLedger(base, head)
    const books = trueBooks(ledger, dollar)
    const results = trueResults(books, dollar, always)
    // Of a wallet that holds nothing but dollars, the result is what its dollars grew by, less the gas.
    const closed = [...results].filter(([wallet]) =>
      [...ledger.holdings].every(([key, amount]) => !key.startsWith(wallet) || key.endsWith(dollar) || amount === 0n),
    )
    expect(closed.length).toBeGreaterThan(5)
    for (const [wallet, { realized_usd }] of closed) {
      const gas = books.trades
        .filter((trade) => trade.wallet === wallet)
        .reduce((sum, { gas_usd }) => sum + gas_usd, 0n)
      expect(realized_usd).toBe((ledger.holdings.get(`${wallet} ${dollar}`) ?? 0n) - gas)
    }
  })

  test('is what its node says of each wallet: the tokens of its trades beside its funds, and nothing of a stranger', () => {
    const chain = { ...base, n_tokens: 7 }
    expect(tokensOf(chain)).toHaveLength(7)
    const ask = (at: number, method: string, ...params: unknown[]): bigint => {
      const request = { jsonrpc: '2.0', id: 1, method, params: [...params, 'latest'] }
      return BigInt((answerRpc(chain, request, chain.start_s + 2 * at) as { result: string }).result)
    }
    const wallets = [...Array.from({ length: 60 }, (_, n) => walletOf(chain, n)), `0x${'f'.repeat(40)}`]
    // The later head first, so that an earlier one is not answered from its book.
    for (const at of [head, 150]) {
      const { trades, holdings } = trueLedger(chain, at)
      for (const [n, wallet] of wallets.entries()) {
        const isKnown = n < 60
        const balance = (token: string) =>
          ask(at, 'eth_call', { to: token, data: `0x70a08231${wallet.slice(2).padStart(64, '0')}` })
        for (const { address } of tokensOf(chain))
          expect(balance(address)).toBe(holdings.get(`${wallet} ${address === wrapped ? 'native' : address}`) ?? 0n)
        const dollars = isKnown ? funds.dollars : 0n
        expect(balance(dollar)).toBe(dollars + (holdings.get(`${wallet} ${dollar}`) ?? 0n))
        const gas = trades.filter((trade) => trade.wallet === wallet).reduce((sum, { gas_fee }) => sum + gas_fee, 0n)
        expect(ask(at, 'eth_getBalance', wallet)).toBe(isKnown ? funds.coins - gas : 0n)
      }
    }
  })

  test('shares some wallets with the other chains of its seed', () => {
    const walletsOf = (chain: SimulatedChain) => new Set(Array.from({ length: 60 }, (_, n) => walletOf(chain, n)))
    const [one, other] = [walletsOf(base), walletsOf(optimism)]
    expect([...one].filter((wallet) => other.has(wallet))).toHaveLength(10)
  })
})

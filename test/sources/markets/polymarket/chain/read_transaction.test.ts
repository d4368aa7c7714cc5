import { describe, expect, test } from 'vitest'

import { decodeEvent } from '#sources/markets/polymarket/chain/decode_events.ts'

import { allMarkets, wallets } from './actions.ts'
import { events, logOf } from './event_logs.ts'
import { rowsOf } from './replay.ts'
import { at, none, openSettlement, type Settlement } from './settlement.ts'
import { redeem } from './wallet_actions.ts'

const [ann = '', bob = ''] = wallets
const [market, other] = allMarkets
if (market === undefined || other === undefined) throw new Error('expected two markets')

/** The rows of the last transaction. */
function lastRows(state: Settlement) {
  state.end()
  return rowsOf(state.transactions.at(-1) ?? [])
}

describe('one transaction', () => {
  test('of a merge and a redemption redeems what the merge left', () => {
    const state = openSettlement()
    state.split(ann, market, 9_000_000n)
    state.send(ann, ann, bob, market.tokens[1], 3_000_000n)
    state.end()
    state.merge(ann, market, 6_000_000n)
    redeem(state, market, { wallet: ann, numerators: [1n, 0n], way: 'direct' })
    expect(lastRows(state).moves).toMatchObject([
      { kind: 'merge', size: 6_000_000n },
      { kind: 'redeem', token: market.tokens[0], size: 3_000_000n, cash: 3_000_000n },
    ])
  })

  test('of a redemption that burns nothing has no row', () => {
    const state = openSettlement()
    state.split(ann, other, 1_000_000n)
    state.end()
    redeem(state, market, { wallet: ann, numerators: [1n, 0n], way: 'direct' })
    expect(lastRows(state)).toEqual({ fills: [], moves: [], unread: [] })
  })

  test('of equal shares of both outcomes names no outcome, since either may have won', () => {
    const state = openSettlement()
    state.split(ann, market, 5_000_000n)
    state.end()
    redeem(state, market, { wallet: ann, numerators: [0n, 1n], way: 'adapter' })
    expect(lastRows(state).moves).toMatchObject([
      { kind: 'redeem', trader: ann, token: '', size: 5_000_000n, cash: 5_000_000n },
    ])
  })

  test('of a migration has the token that was given and the token that was got', () => {
    const state = openSettlement()
    state.split(ann, market, 4_000_000n)
    state.end()
    state.send(ann, ann, at.binaryModule, market.tokens[0], 4_000_000n)
    state.emit(at.positionManager, 'single', {
      operator: at.binaryModule,
      from: at.zero,
      to: ann,
      id: 77n,
      value: 4_000_000n,
    })
    expect(lastRows(state).moves).toMatchObject([
      { kind: 'migrate', trader: ann, token: market.tokens[0], size: -4_000_000n },
      { kind: 'migrate', trader: ann, token: '77', size: 4_000_000n },
    ])
  })

  test('of an adapter that hands its pair to nobody is not read, with the reason', () => {
    const state = openSettlement()
    state.split(at.collateral, market, 4_000_000n)
    const { moves, unread } = lastRows(state)
    expect(moves).toEqual([])
    expect(unread).toHaveLength(1)
    expect(unread[0]?.reason).toMatch(/^split: no transfer of its transaction names the wallet; expected/)
  })
})

describe('a log', () => {
  const split = {
    stakeholder: ann,
    collateralToken: at.usdce,
    parentCollectionId: none,
    conditionId: market.condition,
    partition: [1n, 2n],
    amount: 5n,
  }
  const decoded = (address: string, event: keyof typeof events, args: Record<string, unknown>) =>
    decodeEvent({ ...logOf(address, events[event], args), log_index: 0 })

  test('counts only from the contract that the event is of', () => {
    expect(decoded(at.ctf, 'split', split)).toMatchObject({ kind: 'split', amount: 5n })
    expect(decoded(ann, 'split', split)).toBeUndefined()
    const fill = {
      orderHash: none,
      maker: ann,
      taker: bob,
      makerAssetId: 0n,
      takerAssetId: 9n,
      makerAmountFilled: 1n,
      takerAmountFilled: 2n,
      fee: 0n,
    }
    expect(decoded(at.v1, 'filledV1', fill)).toMatchObject({ kind: 'filled', isBuy: true, token: '9' })
    expect(decoded(at.v2, 'filledV1', fill)).toBeUndefined()
  })

  test('of other collateral, or of a collection within another, is of another project', () => {
    expect(decoded(at.ctf, 'split', { ...split, collateralToken: ann })).toBeUndefined()
    expect(decoded(at.ctf, 'split', { ...split, parentCollectionId: market.condition })).toBeUndefined()
  })

  test('of the venue that is cut off is an error, and of any contract is none', () => {
    const whole = logOf(at.ctf, events.split, split)
    expect(() => decodeEvent({ ...whole, data: whole.data.slice(0, 130), log_index: 0 })).toThrow(/64 bytes; expected/)
    const buy = logOf(ann, events.poolBuy, {
      buyer: bob,
      investmentAmount: 5n,
      feeAmount: 1n,
      outcomeIndex: 0n,
      outcomeTokensBought: 8n,
    })
    expect(decodeEvent({ ...buy, data: buy.data.slice(0, 66), log_index: 0 })).toBeUndefined()
    // A pool that moved no collateral is not believed.
    expect(rowsOf([{ ...buy, log_index: 0 }])).toEqual({ fills: [], moves: [], unread: [] })
  })
})

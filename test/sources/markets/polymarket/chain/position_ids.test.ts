import { expect, test } from 'vitest'

import { polymarket } from '#registry/venues/polymarket.ts'
import { contracts } from '#sources/markets/polymarket/chain/contracts.ts'
import {
  conditionIdOf,
  hashOf,
  negRiskPlaceOf,
  positionId,
  questionIdOf,
  tokenIds,
} from '#sources/markets/polymarket/chain/position_ids.ts'
import { walletOf } from '#sources/markets/polymarket/chain/wallet_addresses.ts'

test('the tokens of a standard condition are those that the venue publishes', () => {
  const condition = '0xfc690d5069b296bb9278af0cba42c02666e0999e4a4009ed97ea4a885f045457'
  expect(tokenIds(condition, false)).toEqual([
    '73716170047628147940237270507900673332129573201293655532643868111690843426372',
    '2890213445014127424511466931609154310536269586265875141655148162320150952197',
  ])
  expect(positionId(contracts.wrappedCollateral, condition, 1n)).not.toBe(tokenIds(condition, false)[0])
})

test.each([
  {
    market: '0xcc4727a6394620b9c8ae82db3db50a34d5ca9828675547bcc4cddf5e86b63000',
    index: 7,
    condition: '0x332a94e571f787be90c3db5bd66e00c471a556371786b4622912c90edb46c044',
    tokens: [
      '96833685517457790753237027711749956491556223430098771101130535462280443103710',
      '112683192116716745370273337699109698649408967993699289993927321945615517688893',
    ],
  },
  {
    market: '0x904aa321a48f737e2223e7b3007bf51d68b6a0d66bdda0c1e4bc581f55d62800',
    index: 4,
    condition: '0x13decdc825910e52d8d73e800d15cc03e68bb940b426bc241d9d987d1cd960d2',
    tokens: [
      '11031149734538275426690039809123992018327740438980973428241361937177748285493',
      '92849115097658926029726616555072992123532598747617388960074918380114146610948',
    ],
  },
])('question $index of a neg-risk market has its condition and tokens', ({ market, index, condition, tokens }) => {
  const question = questionIdOf(market, index)
  expect(conditionIdOf(contracts.negRiskAdapter, question)).toBe(condition)
  expect(tokenIds(condition, true)).toEqual(tokens)
  expect(negRiskPlaceOf(question)).toEqual({ market, index })
})

test('wallets are at the addresses of their factories', () => {
  const [proxy, safe] = polymarket.wallets
  if (proxy === undefined || safe === undefined) throw new Error('expected two kinds of wallets')
  expect(walletOf(safe, '0xBBc264c10F54A61607A31B53358a5A87d4B045be')).toBe(
    '0xefae63145ffb73ab047e578324bca9baabe5e1ad',
  )
  // The init code of a minimal proxy, with the constructor that the factory of GSN writes before it.
  const code = (factory: string, implementation: string): string =>
    `3d3d606380380380913d393d73${factory.slice(2)}5af4602a57600080fd5b602d8060366000396000f3363d3d373d3d3d363d73${implementation.slice(2)}5af43d82803e903d91602b57fd5bf352e831dd${'20'.padStart(64, '0')}${'0'.repeat(64)}`.toLowerCase()
  expect(hashOf(code(proxy.factory, '0x44e999d5c2F66Ef0861317f9A4805AC2e90aEB4f'))).toBe(proxy.bytecodeHash)
  const factory = '0xEcA1c266193F03d28517a500007738adfb7754d8'
  const bytecodeHash = hashOf(code(factory, '0x7d5330Fe12E75B5B775036cC1ba39EE546bD3850')) as `0x${string}`
  const published = walletOf(
    { name: 'test', factory, bytecodeHash, salt: 'packed' },
    '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266',
  )
  expect(published).toBe('0x03cacd9b90edf7e440227faea044e566247a8635')
})

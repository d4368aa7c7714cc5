import fc from 'fast-check'
import { expect, test } from 'vitest'

import { sized } from '#test/run/sized.ts'

import { act, actions, allMarkets, markets, wallets } from './actions.ts'
import { replay, rowsOf } from './replay.ts'
import { openSettlement } from './settlement.ts'

test('the rows of any transactions add up to the balances that their contracts leave', () => {
  fc.assert(
    fc.property(actions, (steps) => {
      const state = openSettlement()
      for (const step of steps) {
        act(state, step)
        // Several actions may share a transaction; a trade begins its own.
        if (step.isEnd) state.end()
      }
      state.end()
      const rows = state.transactions.map(rowsOf)
      expect(rows.flatMap(({ unread }) => unread)).toEqual([])
      const found = replay(rows, markets)
      for (const wallet of wallets) {
        expect([wallet, found.cash.get(wallet) ?? 0n]).toEqual([wallet, state.cash.get(wallet) ?? 0n])
        for (const token of allMarkets.flatMap(({ tokens }) => tokens))
          expect([wallet, token, found.shares.get(`${wallet} ${token}`) ?? 0n]).toEqual([
            wallet,
            token,
            state.has(wallet, token),
          ])
      }
      // No row is of a contract.
      const traders = new Set(rows.flatMap(({ fills, moves }) => [...fills, ...moves].map(({ trader }) => trader)))
      expect([...traders].filter((trader) => !wallets.includes(trader))).toEqual([])
    }),
    { numRuns: sized(60, 400, 20_000) },
  )
})

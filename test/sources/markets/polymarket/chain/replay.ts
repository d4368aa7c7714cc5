import type { ChainLog, Placed } from '#sources/markets/polymarket/chain/chain_events.ts'
import { decodeEvent } from '#sources/markets/polymarket/chain/decode_events.ts'
import type { ChainMove } from '#sources/markets/polymarket/chain/lifecycle.ts'
import type { ChainFill } from '#sources/markets/polymarket/chain/match_fills.ts'
import { readTransaction, type TransactionRows } from '#sources/markets/polymarket/chain/read_transaction.ts'

import type { TestMarket } from './settlement.ts'
import type { TestGroup } from './wallet_actions.ts'

/** The rows of a transaction from its logs. */
export const rowsOf = (logs: readonly ChainLog[]): TransactionRows =>
  readTransaction(
    logs.flatMap((log): Placed[] => {
      const event = decodeEvent(log)
      return event === undefined ? [] : [{ ...event, log_index: log.log_index }]
    }),
  )

/** What the markets are, for rows that name a condition or a group. */
export type Markets = { byCondition: ReadonlyMap<string, TestMarket>; byGroup: ReadonlyMap<string, TestGroup> }

/** The balances of wallets by rows alone: what each fill and move says, added up. */
export function replay(rows: readonly TransactionRows[], { byCondition, byGroup }: Markets) {
  const cash = new Map<string, bigint>()
  const shares = new Map<string, bigint>()
  const pay = (wallet: string, amount: bigint): void => void cash.set(wallet, (cash.get(wallet) ?? 0n) + amount)
  const give = (wallet: string, token: string, amount: bigint): void =>
    void shares.set(`${wallet} ${token}`, (shares.get(`${wallet} ${token}`) ?? 0n) + amount)
  const fill = ({ trader, isBuy, token, size, cash: moved, fee }: ChainFill): void => {
    pay(trader, isBuy ? -(moved + fee) : moved - fee)
    give(trader, token, isBuy ? size : -size)
  }
  const move = (row: ChainMove): void => {
    const { kind, trader, token, cash: dollars } = row
    const size = row.size ?? 0n
    const tokens = byCondition.get(row.condition)?.tokens ?? []
    switch (kind) {
      case 'split':
      case 'merge': {
        const sign = kind === 'split' ? 1n : -1n
        pay(trader, -sign * size)
        for (const each of tokens) give(trader, each, sign * size)
        return
      }
      case 'redeem':
        pay(trader, dollars ?? 0n)
        if (token === '') for (const each of tokens) give(trader, each, -size)
        else give(trader, token, -size)
        return
      case 'convert': {
        pay(trader, dollars ?? 0n)
        const questions = byGroup.get(row.negRiskMarket ?? '')?.questions.slice(0, row.n_questions) ?? []
        for (const [n, question] of questions.entries()) {
          const isNo = (((row.indexSet ?? 0n) >> BigInt(n)) & 1n) === 1n
          give(trader, question.tokens[isNo ? 1 : 0], isNo ? -size : size)
        }
        return
      }
      case 'transfer_in':
        return give(trader, token, size)
      case 'transfer_out':
        return give(trader, token, -size)
      case 'migrate':
        return give(trader, token, size)
      case 'reward':
        return pay(trader, dollars ?? 0n)
    }
  }
  for (const { fills, moves } of rows) {
    for (const each of fills) fill(each)
    for (const each of moves) move(each)
  }
  return { cash, shares }
}

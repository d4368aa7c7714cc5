import { expect, test } from 'vitest'

import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { openChainRows } from '#sources/markets/polymarket/chain/chain_rows.ts'

import { allMarkets, wallets } from './actions.ts'
import { openSettlement, type Settlement } from './settlement.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const safe = '0xefae63145ffb73ab047e578324bca9baabe5e1ad'

/** The owners of wallets that the rows of a chain have. */
function ownersOf({ transactions }: Settlement): unknown[] {
  const rows = openChainRows(findChain('polygon'), 1)
  const logs = transactions.flatMap((each, n) =>
    each.map(({ address, topics, data, log_index }) => ({
      tx: `0x${n}`,
      tx_index: n,
      log: { address, topics, data, logIndex: `0x${log_index.toString(16)}` },
    })),
  )
  rows.add({ block: 0, hash: '0xa', parent_hash: '0xb', time_s: 1_780_000_000, transactions: [], logs })
  const made = rows.result({ final: 1, is_whole: false, proofs: ['root'], unproved: [] })
  expect(made.rejected).toEqual([])
  const owners = made.rows.wallet_owners
  if (owners === undefined) throw new Error('no owners')
  return [...(Array.isArray(owners) ? owners : toRows(owners))].map(({ wallet, owner: by }) => [wallet, by])
}

test('a transfer between an owner and a wallet that derives from it shows the owner, one to a stranger does not', () => {
  const [market] = allMarkets
  const [stranger = ''] = wallets
  if (market === undefined) throw new Error('no market')
  const sent = (from: string, to: string) => {
    const state = openSettlement()
    state.split(from, market, 5_000_000n)
    state.end()
    state.send(from, from, to, market.tokens[0], 1_000_000n)
    state.end()
    return ownersOf(state)
  }
  expect(sent(owner, safe)).toEqual([[safe, owner]])
  expect(sent(safe, owner)).toEqual([[safe, owner]])
  expect(sent(owner, stranger)).toEqual([])
  expect(sent(stranger, safe)).toEqual([])
})

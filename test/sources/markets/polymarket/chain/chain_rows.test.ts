import { expect, test } from 'vitest'

import { toRows } from '#lake/units/column_batch.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { openChainRows } from '#sources/markets/polymarket/chain/chain_rows.ts'

import { allMarkets, wallets } from './actions.ts'
import { at, openSettlement, type Settlement } from './settlement.ts'

const owner = '0xbbc264c10f54a61607a31b53358a5a87d4b045be'
const safe = '0xefae63145ffb73ab047e578324bca9baabe5e1ad'

/** The rows of a dataset that a chain has. */
function rowsOf(
  { transactions }: Settlement,
  dataset: 'wallet_owners' | 'venue_contracts',
): readonly Record<string, unknown>[] {
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
  const rowsMade = made.rows[dataset]
  if (rowsMade === undefined) throw new Error(`no ${dataset}`)
  return Array.isArray(rowsMade) ? [...rowsMade] : toRows(rowsMade)
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
    return rowsOf(state, 'wallet_owners').map(({ wallet, owner: by }) => [wallet, by])
  }
  expect(sent(owner, safe)).toEqual([[safe, owner]])
  expect(sent(safe, owner)).toEqual([[safe, owner]])
  expect(sent(owner, stranger)).toEqual([])
  expect(sent(stranger, safe)).toEqual([])
})

test('a pool of the factory is a contract of the venue', () => {
  const state = openSettlement()
  const pool = `0x${'9'.repeat(40)}`
  const [creator = ''] = wallets
  const made = { creator, fixedProductMarketMaker: pool, conditionalTokens: at.ctf, collateralToken: at.usdce }
  state.emit('0x8b9805a2f595b6705e74f7310829f2d299d21522', 'poolCreated', {
    ...made,
    conditionIds: [`0x${'c'.repeat(64)}`],
    fee: 0n,
  })
  state.end()
  expect(rowsOf(state, 'venue_contracts')).toMatchObject([{ venue: 'polymarket', address: pool, label: 'pool' }])
})

import { z } from 'zod'

import { defineSource, type PlanContext, type ReadResult, type PlannedSource } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Unit } from '#lake/units/unit.ts'

import { accountRows, readAccounts, type Account, type ReadAccount } from './addresses/read_accounts.ts'
import { createBlockFinder } from './blocks/find_block.ts'
import { lastStoredBlock, observing, planObservations, transactionSources } from './blocks/plan_observations.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'

const name = 'evm_addresses'

/** The addresses of one unit. More are units of free instants before it. */
const mostAddresses = 10_000

/**
 * The code, the owner and the first transaction of the traders of the chains that `evm_swaps` reads, and of the
 * contracts that they call.
 */
export function evmAddressesOf(memory: RpcMemory): PlannedSource {
  const findBlock = createBlockFinder()
  return defineSource({
    name,
    doc:
      'The code of the addresses that may have traded in a transaction of `evm_swaps` or `evm_accounts`, and of the contracts that ' +
      'such transactions call, read once each by `eth_getCode` in batches, as of the head. An address without code ' +
      'is an `eoa`. A delegation of EIP-7702 is `delegated`. A `safe` is a proxy whose code and implementation Safe ' +
      'has published, and `getOwners` names its owner if it has only one. Other code is a `smart_account` if it ' +
      'sent an operation of ERC-4337 or a transaction, otherwise a `contract`. An endpoint behind the stored swaps ' +
      'fails, and so does a batch without all of its answers. `eth_getTransactionCount` shows whether an account ' +
      'without code of its own had sent a transaction seven days before the day of its first swap. If it had none, ' +
      'its first block with a nonce is found by halving the blocks, for all accounts of a unit in one batch. This ' +
      'needs an endpoint with the state of those blocks; without one, `first_tx_at` stays null, and the proof of the ' +
      'unit says so.',
    parts: evmParts,
    datasets: ['addresses'],
    ...observing,
    typical: { requests: 180, rows: 1_000, bytes: 1_000_000 },
    plan,
    read: async (unit, { part, get, lake }) => {
      const chain = { head: await lastStoredBlock(lake, unit.part, 'ofAll'), findBlock }
      const { accounts, note } = await readAccounts(rpcOf(part, get, memory), unit.params.map(accountOf), chain)
      const result = resultOf(unit, accounts)
      const proof = note === undefined ? result.proof : `${result.proof}; ${note}`
      return {
        ...result,
        ...(proof === undefined ? {} : { proof }),
        bodies: accounts.map((account) => JSON.stringify(account)),
      }
    },
    // The bodies are our own text: the hash of a code stands for it.
    reparse: (unit, bodies) =>
      resultOf(
        unit,
        bodies.map((body) => JSON.parse(body) as ReadAccount),
      ),
  })
}

export const evmAddresses = evmAddressesOf(processMemory)

const resultOf = (unit: Unit, accounts: readonly ReadAccount[]): ReadResult => ({
  rows: { addresses: accountRows(unit.part, accounts, unit.from) },
  rejected: [],
  state: 'complete',
  proof: `the code of ${accounts.length} addresses answered`,
})

/** `0x…:1790000000` with the time of the first swap, and `0x…:1790000000:sender` for one that sent something. */
const paramOf = ({ address, named_s, isSender }: Account): string => `${address}:${named_s}${isSender ? ':sender' : ''}`
const accountOf = (param: string): Account => {
  const [address = '', named_s, role] = param.split(':')
  return { address, named_s: Number(named_s), isSender: role !== undefined }
}

function plan(context: PlanContext): Promise<Unit[]> {
  return planObservations({ name, most: mostAddresses }, context, async (before, units) =>
    (await newAccounts(context.lake, context.part.name, before, units)).map(paramOf),
  )
}

const accountShape = z
  .object({ address: z.string(), named_s: z.coerce.number(), is_sender: z.boolean() })
  .transform(({ address, named_s, is_sender }): Account => ({ address, named_s, isSender: is_sender }))

/**
 * The addresses of transactions with a swap that are not described at an instant: senders, accounts of operations,
 * traders that events name, contracts that senders call, and those that paid one token and got another and are no pool.
 */
const newAccounts = (lake: LakeReader, chain: string, from: number, units: readonly string[]): Promise<Account[]> =>
  lake.query(
    `with swapped as (
       select distinct block, tx_index from lake.swaps where source in ${transactionSources} and chain = $chain
     ),
     sent as (
       select t.sender, t.recipient, t.ts from lake.transactions t semi join swapped s using (block, tx_index)
       where t.source in ${transactionSources} and t.chain = $chain
     ),
     moved as (
       select m.block, m.tx_index, m.token, m.sender, m.recipient, m.ts
       from lake.transfers m semi join swapped s using (block, tx_index)
       where m.source in ${transactionSources} and m.chain = $chain
     ),
     named as (
       select sender as address, ts, true as is_sender from sent
       union all
       select sender, ts, true from lake.user_operations where source in ${transactionSources} and chain = $chain
       union all
       select recipient, ts, false from sent
       union all
       select trader, ts, false from lake.swaps where source in ${transactionSources} and chain = $chain
       union all
       select recipient, ts, false from moved m
       semi join moved o
         on o.block = m.block and o.tx_index = m.tx_index and o.sender = m.recipient and o.token <> m.token
       where recipient not in (
         select pool from lake.swaps where source in ${transactionSources} and chain = $chain and pool is not null
       )
     )
     select address, epoch_us(min(ts)) // 1000000 as named_s, bool_or(is_sender) as is_sender from named
     where address <> '' and address not in (
       select address from lake.addresses where source = $name and chain = $chain and seen_at <= $from
     )
     group by address
     order by address`,
    accountShape,
    { name, chain, from: time.encode(from) },
    {
      addresses: [`${name}/${chain}/`],
      swaps: units,
      transactions: units,
      transfers: units,
      user_operations: units,
    },
  )

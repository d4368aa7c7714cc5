import { z } from 'zod'

import { nameList, type Settings } from '#ingest/setting.ts'
import {
  defineSource,
  type PlanContext,
  type ReadResult,
  type PlannedSource,
  type RowsOrColumns,
} from '#ingest/source.ts'
import { inPathOrder, unitOf } from '#ingest/units.ts'
import { time } from '#lake/columns.ts'
import type { Unit } from '#lake/units/unit.ts'
import { solana } from '#registry/chains/chain.ts'
import { createBlockFinder } from '#sources/evm/blocks/find_block.ts'
import { processMemory, type RpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { chainPart } from '#sources/evm/rpc/endpoints.ts'
import { SECOND, type Micros } from '#time.ts'

import { whyNoWallet } from './accounts/account_info.ts'
import { bodiesOf, readAccount, readingOf, type AccountReading } from './accounts/read_account.ts'
import { gapOf } from './accounts/token_accounts.ts'
import { readFinalSlot, readSlotTime } from './blocks/read_blocks.ts'
import { dexPrograms } from './parse/programs.ts'
import { openSolanaRows } from './rows.ts'
import { solanaRpcOf } from './solana_rpc.ts'

const source = { name: 'solana_accounts', unit: 'history', part: solana.slug } as const

const address = /^[1-9A-HJ-NP-Za-km-z]{32,44}$/

const settings = {
  accounts: {
    name: 'TAPELINE_SOLANA_ACCOUNTS',
    shape: nameList(address, 'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4'),
    doc: 'Wallets and trading programs of Solana that are read by address, separated by commas',
  },
} satisfies Settings

/** The least time between two readings of an account. */
const rest: Micros = 300 * SECOND

/** The transactions of accounts of Solana over JSON-RPC. `memory` has the limits and circuit breakers of endpoints. */
export function solanaAccountsOf(memory: RpcMemory): PlannedSource<typeof settings> {
  const slotAt = createBlockFinder(readSlotTime)
  return defineSource({
    name: source.name,
    doc:
      'The trades of single accounts of Solana, which a public endpoint serves. A unit is an account that ' +
      '`TAPELINE_SOLANA_ACCOUNTS` or a request names: a wallet from its first transaction on, or a program that ' +
      'trades from the start of the backfill on. `getSignaturesForAddress` lists the transactions of the account and ' +
      'of each of its token accounts, since one that receives without its owner shows only there; `getTransaction` ' +
      'reads each once. A mint or a token account is not a wallet, and is not read. Token accounts are those that are ' +
      'open (`getTokenAccountsByOwner`), and those that its transactions show. Each transaction of a wallet finds ' +
      'the lamports and tokens that the one before it left, so that none is missing. Of a transaction that ' +
      '`solana_blocks` has too, the rows of that source count. A later reading lists only newer transactions, if ' +
      'raw responses are stored.',
    parts: [chainPart(solana)],
    datasets: ['transactions', 'swaps', 'transfers', 'tokens'],
    unit: source.unit,
    keyForm: z.string().regex(address, 'expected an address of Solana'),
    isEndless: true,
    addresses: 'solana',
    precedence: 1,
    lag_s: 0,
    settle_s: 0,
    grid_s: 30,
    follow: { group: 'accounts' },
    settings,
    typical: { requests: 120, rows: 400, bytes: 2_000_000 },
    plan: async (context) => {
      const planned = await accountsOf(context, [...context.settings.accounts])
      // A program has too many transactions to read all, so its history begins with the interval.
      const params = [String(context.from)]
      return inPathOrder(
        planned.map((key) => unitOf(source, { key, from: 0, params: dexPrograms.has(key) ? params : [] })),
      )
    },
    read: async (unit, { get, part, until, storedBodies }) => {
      const rpc = solanaRpcOf(part, get, memory)
      const head = await readFinalSlot(rpc)
      const end = { head: head + 1, final: head + 1 }
      const last = Math.max(0, (await slotAt(rpc, until, end)) - 1)
      const problem = dexPrograms.has(unit.key) ? null : await rpc.at((node) => whyNoWallet(node, unit.key))
      if (problem !== null)
        return { rows: openSolanaRows().result().rows, rejected: [], state: 'unavailable', reason: problem }
      const before = readingOf(await storedBodies())
      const first = dexPrograms.has(unit.key) ? await slotAt(rpc, Number(unit.params[0] ?? 0), end) : 0
      const reading = await readAccount(rpc, unit.key, { last, first, before })
      // Rows of the second of the last slot may follow in later slots.
      const to = Math.min(until, (await readSlotTime(rpc, Math.min(last, head))) * SECOND)
      return { ...factsOf(unit, reading), to, bodies: bodiesOf(reading) }
    },
    reparse: (unit, bodies, { until }) => {
      const reading = readingOf(bodies)
      if (reading === undefined)
        throw new Error(`account ${unit.key}: no raw bodies; expected the bodies of its reading`)
      return { ...factsOf(unit, reading), to: until }
    },
  })
}

export const solanaAccounts = solanaAccountsOf(processMemory)

const accountShape = z.object({ key: z.string() })

/**
 * The accounts of a plan: those of the request, else the named and the stored ones, which rest between two readings.
 */
async function accountsOf(
  { keys, at, lake, includeOpen, refresh }: PlanContext,
  named: readonly string[],
): Promise<string[]> {
  if (keys.length > 0) return [...new Set(keys.filter((key) => address.test(key)))]
  const rows = await lake.query(
    `select key, bool_or(state <> 'missing' and checked_at > $rested) as is_resting
     from lake.coverage where source = $name and dataset = 'transactions' group by key`,
    accountShape.extend({ is_resting: z.boolean() }),
    { name: source.name, rested: time.encode(at - rest) },
    { coverage: [`${source.name}/${source.part}/`] },
  )
  const resting = new Set(rows.flatMap((row) => (row.is_resting && includeOpen && !refresh ? [row.key] : [])))
  return [...new Set([...named, ...rows.map(({ key }) => key)])].filter((key) => !resting.has(key))
}

function factsOf(unit: Unit, reading: AccountReading): ReadResult<RowsOrColumns> {
  const { transactions, cut, listed } = reading
  const collected = openSolanaRows()
  for (const { body, block, tx_index, time_s } of transactions)
    collected.addTransaction(body, { block, tx_index, ts: time_s * SECOND })
  const isProgram = dexPrograms.has(unit.key)
  const reason = cut !== null ? `transactions up to slot ${cut} are left out` : isProgram ? null : gapOf(reading)
  const whole_s = cut === null ? null : (transactions.find(({ block }) => block > cut)?.time_s ?? null)
  const from = whole_s !== null ? { from: whole_s * SECOND } : isProgram ? { from: Number(unit.params[0] ?? 0) } : {}
  const proof = isProgram
    ? `${transactions.length} transactions, listed to the start of the interval`
    : `${transactions.length} transactions of ${listed.length} addresses; each finds the balances that the one before it left`
  return {
    ...collected.result(),
    ...from,
    ...(reason === null ? { state: 'complete', proof } : { state: 'unverified', reason }),
  }
}

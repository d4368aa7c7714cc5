import { z } from 'zod'

import { defineSource, type PlannedSource, type ReadResult, type RowsOrColumns } from '#ingest/source.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { findChain } from '#registry/chains/find_chain.ts'

import { createBudget, mostTransactions, type Budget } from './accounts/budget.ts'
import { findFirstTransaction, hasFirstTransaction, isUsed } from './accounts/find_start.ts'
import { planStretches, words } from './accounts/plan_stretches.ts'
import { readStretch, type StretchReading } from './accounts/read_stretch.ts'
import { firstOf, resumeShape, storedStretches, type Resume, type StoredStretch } from './accounts/stored_stretches.ts'
import type { RawBlock } from './blocks/raw_block.ts'
import { openUnitRows } from './blocks/unit_rows.ts'
import { readHeaders, readWatermark } from './rpc/blocks.ts'
import { evmParts, rpcOf } from './rpc/chain_parts.ts'
import { processMemory, type RpcMemory } from './rpc/endpoint_state.ts'
import type { Rpc } from './rpc/rpc.ts'

const name = 'evm_accounts'

/** `size` blocks are a stretch, and `most` transactions the budget of an account. */
type Limits = { size: number; most: number }

/** 25 ranges of the largest size: a stretch that is read on request does not delay other requests for long. */
const usualLimits: Limits = { size: 250_000, most: mostTransactions }

/** The transactions of accounts of EVM chains over JSON-RPC. `memory` has the limits of endpoints. */
export function evmAccountsOf(memory: RpcMemory, limits: Limits = usualLimits): PlannedSource {
  const budget = createBudget(limits.most)
  return defineSource({
    name,
    doc:
      'The transactions of single accounts of EVM chains, which a request names. A unit is an account and a stretch of ' +
      'blocks, the newest first: `eth_getLogs` of Transfer with the account as sender and as recipient, from any ' +
      'contract, then each transaction with its receipt. Two endpoints have the same logs; otherwise the stretch is ' +
      '*unverified*. Only final blocks are read. The history begins a stretch before the transaction with the nonce 0, ' +
      'which `eth_getTransactionCount` finds where an endpoint has old states, and otherwise with the chain. An account ' +
      'without code that has sent nothing is not read. A transaction that moves only the native coin has no Transfer ' +
      `and is not found. After ${mostTransactions} transactions of an account its older blocks are left out, and ` +
      'coverage says so. The rows of a transaction count for the accounts that were read; where `evm_swaps` has it, ' +
      'the rows of that source count.',
    parts: evmParts,
    datasets: ['transactions', 'swaps', 'transfers', 'user_operations', 'pools'],
    unit: 'blocks',
    keyForm: z
      .string()
      .regex(/^0x[0-9a-f]{40}$/i, 'expected an address of EVM chains')
      .toLowerCase(),
    addresses: 'evm',
    precedence: 0,
    lag_s: 0,
    settle_s: 0,
    grid_s: 30,
    follow: { group: 'accounts' },
    typical: { requests: 60, rows: 500, bytes: 1_000_000 },
    watermark: async (part, { get }) => {
      const { final } = await readWatermark(rpcOf(part, get, memory))
      return { head: final, final }
    },
    plan: (context) => {
      const rpc = rpcOf(context.part, context.get, memory)
      const startOf = (account: string) => readStart(rpc, account, context.watermark.final)
      return planStretches({ name, ...limits, startOf }, context)
    },
    read: async (unit, context) => {
      const rpc = rpcOf(context.part, context.get, memory)
      const first = unit.params.find((word) => word.startsWith(words.first))
      if (first !== undefined) return readBefore(rpc, unit, Number(first.slice(words.first.length)))
      const start = unit.params.includes(words.start) ? await readStart(rpc, unit.key, context.watermark.final) : null
      if (start?.isUsed === false) {
        const reason = `the account has no code and has sent no transaction on ${unit.part}`
        return { rows: emptyRows(unit), rejected: [], state: 'unavailable', reason }
      }
      const to = Math.min(unit.to ?? context.until, context.until)
      const stretches = (await storedStretches(name, context, unit.key)).get(unit.key) ?? []
      const reading = await readLimited(rpc, unit, { to, stretches, budget })
      const [header] = (await readHeaders(rpc, [reading.cut ?? unit.from])).values()
      const firstBlock = start === null ? firstOf(stretches) : start.first
      const resume: Resume = {
        ...(firstBlock === undefined ? {} : { first: firstBlock }),
        ...(reading.cut === null ? {} : { cut: reading.cut }),
        ...(header === undefined ? {} : { from_s: header.time_s }),
      }
      return { ...factsOf(unit, to, reading, resume), bodies: bodiesOf(reading, resume) }
    },
    reparse: (unit, bodies, { until }) => {
      const [head, ...blocks] = bodies
      if (head === undefined) throw new Error(`account ${unit.key}: no raw bodies; expected the bodies of its reading`)
      const read = headShape.parse(JSON.parse(head))
      if ('before' in read) return beforeOf(unit, read.before)
      const reading = { ...read, blocks: blocks.map((body) => JSON.parse(body) as RawBlock) }
      return factsOf(unit, Math.min(unit.to ?? until, until), reading, read.resume)
    },
  })
}

export const evmAccounts = evmAccountsOf(processMemory)

/** Where the history of an account begins, as of the final block before `end`. */
async function readStart(rpc: Rpc, account: string, end: number) {
  if (!(await isUsed(rpc, account, end - 1))) return { isUsed: false, first: null }
  return { isUsed: true, first: await findFirstTransaction(rpc, account, end - 1) }
}

/** Reads a stretch within the budget of its account, if it has one. */
async function readLimited(
  rpc: Rpc,
  unit: Unit,
  { to, stretches, budget }: { to: number; stretches: readonly StoredStretch[]; budget: Budget },
): Promise<StretchReading> {
  const range = { from: unit.from, to }
  if (!unit.params.includes(words.budget)) return readStretch(rpc, unit.key, range, (n) => n)
  const stored = new Map(stretches.map(({ unit: path, n_rows }) => [path, n_rows]))
  const share = { account: `${unit.part} ${unit.key}`, path: unitPath(unit) }
  try {
    return await readStretch(rpc, unit.key, range, (n) => budget.take(share, n, stored))
  } catch (error) {
    budget.drop(share)
    throw error
  }
}

/** The blocks before the history of an account: its first transaction shows that it sent none in them. */
async function readBefore(rpc: Rpc, unit: Unit, first: number): Promise<ReadResult<RowsOrColumns>> {
  if (!(await hasFirstTransaction(rpc, unit.key, first)))
    throw new Error(`block ${first}: no transaction of ${unit.key} with the nonce 0; expected its first transaction`)
  return { ...beforeOf(unit, first), bodies: [JSON.stringify({ before: first })] }
}

const beforeOf = (unit: Unit, first: number): ReadResult<RowsOrColumns> => ({
  rows: emptyRows(unit),
  rejected: [],
  state: 'complete',
  proof: `the first transaction of the account is in block ${first}`,
  isKnown: true,
})

const emptyRows = ({ part }: Unit): RowsOrColumns => openUnitRows(findChain(part), 0).result(emptyHead).rows
const emptyHead = { final: 0, is_whole: false, proofs: [], unproved: [] }

function factsOf(unit: Unit, to: number, reading: StretchReading, resume: Resume): ReadResult<RowsOrColumns> {
  const { blocks, unproved, cut } = reading
  const rows = openUnitRows(findChain(unit.part), to)
  for (const block of blocks) rows.add(block)
  const read = rows.result({ final: to, is_whole: false, proofs: ['endpoints'], unproved })
  const n = blocks.reduce((sum, { transactions }) => sum + transactions.length, 0)
  const facts = { ...read, to, resume: JSON.stringify(resume), isKnown: true as const }
  if (cut !== null) {
    const reason = `the account has too many transactions; those before block ${cut} are left out`
    return { ...facts, state: 'unverified', reason, reasonCode: 'budget' }
  }
  if (unproved.length > 0) {
    const reason = 'no second endpoint has the same logs of the account'
    return { ...facts, state: 'unverified', reason, reasonCode: 'unproved' }
  }
  return { ...facts, proof: `${n} transactions; two endpoints have the same logs of the account` }
}

const headShape = z.union([
  z.object({ before: z.number() }),
  z.object({
    unproved: z.array(z.object({ from: z.number(), to: z.number() })),
    cut: z.number().nullable(),
    resume: resumeShape,
  }),
])

/** A reading as texts: its end, then a block each. */
const bodiesOf = ({ blocks, ...head }: StretchReading, resume: Resume): string[] =>
  [{ ...head, resume }, ...blocks.toSorted((a, b) => a.block - b.block)].map((part) => JSON.stringify(part))

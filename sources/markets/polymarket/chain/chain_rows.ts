import type { RejectedRow, Rows } from '#ingest/source.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { polymarket } from '#registry/venues/polymarket.ts'
import { openTable } from '#sources/chain_table.ts'
import { parseLog } from '#sources/evm/blocks/parse_transaction.ts'
import type { RawBlock } from '#sources/evm/blocks/raw_block.ts'
import { stateOf } from '#sources/evm/blocks/unit_rows.ts'
import type { UnitRows } from '#sources/evm/blocks/wanted_logs.ts'
import { MalformedLog } from '#sources/evm/decode/event/words.ts'
import type { NewActivity, NewFill } from '#sources/markets/fills.ts'
import { idOf, VENUE } from '#sources/markets/polymarket/wire/types.ts'
import { SECOND, type Micros } from '#time.ts'

import type { ChainLog, Placed, Prepared, Resolved } from './chain_events.ts'
import { contracts, isExchange } from './contracts.ts'
import { decodeEvent } from './decode_events.ts'
import type { ChainMove } from './lifecycle.ts'
import type { ChainFill } from './match_fills.ts'
import { negRiskPlaceOf, tokenIds } from './position_ids.ts'
import { readTransaction } from './read_transaction.ts'
import { walletOf } from './wallet_addresses.ts'

type Filled = Required<
  Pick<Rows, 'fills' | 'activity' | 'resolutions' | 'conditions' | 'wallet_owners' | 'venue_contracts'>
>

/** Where an event is, and the rows that it adds to. */
type Sink = { ts: Micros; tx: string; rows: Filled }

/** Collects the rows of the blocks before `to`. The last block has a row also without a log: it shows the fork. */
export function openChainRows(chain: Chain, to: number): UnitRows {
  const blocks = openTable('blocks')
  const rows: Filled = {
    fills: [],
    activity: [],
    resolutions: [],
    conditions: [],
    wallet_owners: [],
    venue_contracts: [],
  }
  const rejected: { block: number; row: RejectedRow }[] = []
  return {
    add: ({ block, hash, parent_hash, time_s, logs }) => {
      const ts = time_s * SECOND
      if (logs.length > 0 || block === to - 1)
        blocks.push(
          { chain: chain.slug, block, ts, tx: '', tx_index: -1, log_index: -1 },
          { is_exact: true, hash, parent_block: block - 1, parent_hash },
        )
      for (const [tx, bodies] of byTransaction(logs))
        for (const row of addTransaction({ ts, tx, rows }, bodies))
          rejected.push({ block, row: { ...row, path: `${chain.slug}/${block}/${tx}/${row.path}` } })
    },
    result: (head) => ({
      rows: { blocks: blocks.batch(), ...rows, wallet_owners: firstOfEach(rows.wallet_owners) },
      rejected: rejected.toSorted((a, b) => a.block - b.block).map(({ row }) => row),
      to,
      ...stateOf(head, ''),
    }),
  }
}

/** Logs by their transactions, in their order. */
function byTransaction(logs: RawBlock['logs']): Map<string, unknown[]> {
  const transactions = new Map<string, unknown[]>()
  for (const { tx, log } of logs) {
    const same = transactions.get(tx)
    if (same === undefined) transactions.set(tx, [log])
    else same.push(log)
  }
  return transactions
}

type Rejected = Omit<RejectedRow, 'path'> & { path: string }

/** Adds the rows of a transaction. Returns the logs that cannot be read, with their index as the path. */
function addTransaction(sink: Sink, bodies: readonly unknown[]): Rejected[] {
  const rejected: Rejected[] = []
  const events: Placed[] = []
  const logs = bodies
    .map((body) => parseLog(body))
    .filter((log) => log !== undefined)
    .toSorted((a, b) => a.log_index - b.log_index)
  const reject = ({ log_index }: { log_index: number }, reason: string): void => {
    const body = logs.find((log) => log.log_index === log_index)
    const dataset = body !== undefined && isExchange(body.address) ? 'fills' : 'activity'
    rejected.push({ dataset, path: String(log_index), reason, body })
  }
  for (const log of logs) {
    const event = decodedOr(log, (reason) => reject(log, reason))
    if (event !== undefined) events.push(event)
  }
  const { fills, moves, unread } = readTransaction(events)
  sink.rows.fills.push(...fills.map((fill) => fillRow(sink, fill)))
  sink.rows.activity.push(...moves.map((move) => activityRow(sink, move)))
  for (const { log_index, reason } of unread) reject({ log_index }, reason)
  for (const event of events) addFact(sink, event)
  for (const move of moves) addOwner(sink, move)
  return rejected
}

function decodedOr(log: ChainLog, reject: (reason: string) => void): Placed | undefined {
  try {
    const event = decodeEvent(log)
    return event && { ...event, log_index: log.log_index }
  } catch (error) {
    if (!(error instanceof MalformedLog)) throw error
    reject(error.message)
    return undefined
  }
}

const fillRow = ({ ts, tx }: Sink, fill: ChainFill): NewFill => ({
  venue: VENUE,
  token_id: fill.token,
  ts,
  tx,
  trader: fill.trader,
  side: fill.isBuy ? 'buy' : 'sell',
  price: fill.price,
  size: fill.size,
  seq: fill.log_index,
  market_id: fill.condition && idOf(fill.condition),
  role: fill.role,
  cash_usd: fill.cash,
  fee_usd: fill.fee,
})

const activityRow = ({ ts, tx }: Sink, move: ChainMove): NewActivity => ({
  venue: VENUE,
  trader: move.trader,
  ts,
  tx,
  kind: move.kind,
  market_id: move.condition === '' ? '' : idOf(move.condition),
  token_id: move.token,
  seq: move.log_index,
  size: move.size,
  cash_usd: move.cash,
  neg_risk_id: move.negRiskMarket === undefined ? null : idOf(move.negRiskMarket),
  index_set: move.indexSet === undefined ? null : String(move.indexSet),
  n_questions: move.n_questions ?? null,
  counterparty: move.counterparty ?? null,
})

/** Adds what holds for all traders: conditions, resolutions, pools, and the owners of wallets. */
function addFact({ ts, tx, rows }: Sink, event: Placed): void {
  if (event.kind === 'prepared' && event.n_outcomes === 2) rows.conditions.push(conditionRow({ ts, tx }, event))
  if (event.kind === 'resolved') rows.resolutions.push(resolutionRow({ ts, tx }, event))
  if (event.kind === 'pool created')
    rows.venue_contracts.push({ venue: VENUE, address: event.pool, label: 'pool', ts, tx })
  if (event.kind === 'wallet') {
    const { owner } = event
    const [proxyWallet] = polymarket.wallets
    const wallet = event.wallet ?? (proxyWallet && walletOf(proxyWallet, owner))
    if (wallet !== undefined) rows.wallet_owners.push({ venue: VENUE, wallet, owner, ts, tx })
  }
}

/** Adds the owner of a wallet that a transfer names beside it: its address derives from that of its owner. */
function addOwner({ ts, tx, rows }: Sink, { kind, trader, counterparty }: ChainMove): void {
  if (counterparty === undefined || (kind !== 'transfer_out' && kind !== 'transfer_in')) return
  if (polymarket.wallets.some((derived) => walletOf(derived, trader) === counterparty))
    rows.wallet_owners.push({ venue: VENUE, wallet: counterparty, owner: trader, ts, tx })
}

/** A neg-risk condition is a question of a market, whose id and index its own question id has. */
function conditionRow(
  at: { ts: Micros; tx: string },
  { condition, oracle, question }: Prepared,
): Filled['conditions'][0] {
  const isNegRisk = oracle === contracts.negRiskAdapter
  const place = isNegRisk ? negRiskPlaceOf(question) : undefined
  return {
    ...at,
    venue: VENUE,
    market_id: idOf(condition),
    oracle,
    question_id: question,
    token_ids: tokenIds(condition, isNegRisk),
    neg_risk_id: place === undefined ? null : idOf(place.market),
    neg_risk_index: place?.index ?? null,
  }
}

const million = 1_000_000n

function resolutionRow(at: { ts: Micros; tx: string }, { condition, numerators }: Resolved): Filled['resolutions'][0] {
  const sum = numerators.reduce((total, part) => total + part, 0n)
  const payouts = numerators.map((part) => (2n * part * million + sum) / (2n * sum))
  return { ...at, venue: VENUE, market_id: idOf(condition), payouts, status: 'resolved' }
}

/** A proxy wallet is named again by each transaction that its owner has relayed. */
function firstOfEach(owners: Filled['wallet_owners']): Filled['wallet_owners'] {
  const first = new Map<string, Filled['wallet_owners'][0]>()
  for (const row of owners) {
    const held = first.get(row.wallet)
    if (held === undefined || row.ts < held.ts || (row.ts === held.ts && row.tx < held.tx)) first.set(row.wallet, row)
  }
  return [...first.values()]
}

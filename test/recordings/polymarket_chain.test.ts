import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import type { ChainEvent, ChainLog, Placed } from '#sources/markets/polymarket/chain/chain_events.ts'
import { decodeEvent } from '#sources/markets/polymarket/chain/decode_events.ts'
import { priceOf } from '#sources/markets/polymarket/chain/match_fills.ts'
import { tokenIds } from '#sources/markets/polymarket/chain/position_ids.ts'
import { readTransaction, type TransactionRows } from '#sources/markets/polymarket/chain/read_transaction.ts'

import { openRecordings } from './folder.ts'

const { folder, isRecorded } = openRecordings('polymarket-chain')
const readText = (name: string): string => readFileSync(join(folder, name), 'utf8')
const readJson = (name: string): unknown => JSON.parse(readText(name))

const logShape = z.object({
  address: z.string().optional(),
  topics: z.array(z.string()),
  data: z.string(),
  logIndex: z.union([z.string(), z.number()]).default(0).transform(Number),
})
const entryShape = z.object({ id: z.string(), log: logShape })

/** A recorded log. One without an address is of the exchange that its last topic names. */
const logOf = ({ address, topics, data, logIndex }: z.output<typeof logShape>): ChainLog => ({
  address: (address ?? `0x${(topics.at(-1) ?? '').slice(26)}`).toLowerCase(),
  topics,
  data,
  log_index: logIndex,
})

const entries = (): { id: string; log: ChainLog }[] =>
  readText('logs.jsonl')
    .trim()
    .split('\n')
    .map((line) => entryShape.parse(JSON.parse(line)))
    .map(({ id, log }) => ({ id, log: logOf(log) }))

const rowsOf = (logs: readonly ChainLog[]): TransactionRows =>
  readTransaction(
    logs.flatMap((log): Placed[] => {
      const event = decodeEvent(log)
      return event === undefined ? [] : [{ ...event, log_index: log.log_index }]
    }),
  )

/** Digits of a decimal as millionths. */
const millionths = (text: string): bigint => {
  const [whole = '', part = ''] = text.split('.')
  return BigInt(`${whole}${part.padEnd(6, '0')}`)
}

type Stated = Readonly<Record<string, unknown>>
const stated = (): Readonly<Record<string, Stated>> =>
  z.record(z.string(), z.record(z.string(), z.unknown())).parse(readJson('expected.json'))

/** The names of the sources of expected values, and what they are here. */
const fillFields: Readonly<Record<string, (fill: TransactionRows['fills'][0]) => unknown>> = {
  wallet: ({ trader }) => trader,
  role: ({ role }) => role,
  side: ({ isBuy }) => (isBuy ? 'BUY' : 'SELL'),
  token: ({ token }) => token,
  shares: ({ size }) => size,
  cash: ({ cash }) => cash,
  cash_gross: ({ cash }) => cash,
  price: ({ price }) => price,
  fee: ({ fee }) => fee,
  log_index: ({ log_index }) => log_index,
}
const amounts: ReadonlySet<string> = new Set(['shares', 'cash', 'cash_gross', 'fee'])

/** The least millionths of two decimals that round to the same price differ by less than one. */
const isPrice = (price: bigint, text: string): boolean => {
  const [, part = ''] = text.split('.')
  const scaled = BigInt(text.replace('.', '')) * 1_000_000n
  const scale = 10n ** BigInt(part.length)
  const difference = price * scale - scaled
  return difference < scale && difference > -scale
}

const eventAt = (id: string): ChainEvent | undefined => {
  const entry = entries().find((each) => each.id === id)
  return entry && decodeEvent(entry.log)
}

describe.runIf(isRecorded)('the recorded logs of Polymarket', () => {
  test('of filled orders give the stated fills', () => {
    // The recorded taker of this match names the maker as its taker, where the chain has the exchange.
    const withoutRole = 'pairarb/taker_buy_other_token'
    let n_fills = 0
    for (const { id, log } of entries()) {
      const event = decodeEvent(log)
      if (event?.kind !== 'filled') continue
      n_fills += 1
      const [fill] = rowsOf([log]).fills
      if (fill === undefined) throw new Error(`${id}: no fill`)
      for (const [name, value] of Object.entries(stated()[id] ?? {})) {
        const read = fillFields[name]
        if (read === undefined || (id === withoutRole && name === 'role')) continue
        // The stated cash of a purchase of V1 has the fee, which is charged in shares.
        const found = name === 'cash' && event.isFeeInShares ? fill.cash + fill.fee : read(fill)
        if (name === 'price') expect([id, isPrice(fill.price, String(value))]).toEqual([id, true])
        else expect([id, name, found]).toEqual([id, name, amounts.has(name) ? millionths(String(value)) : value])
      }
    }
    expect(n_fills).toBe(15)
  })

  test('of the ceiling fee of V1 take it in shares, and a refund of all of it gives all shares', () => {
    const id = 'rust/v1_orderfilled_maker_buy_fee'
    const entry = entries().find((each) => each.id === id)
    if (entry === undefined) throw new Error(`${id}: missing`)
    const [fill] = rowsOf([entry.log]).fills
    expect(fill).toMatchObject({ size: 15_930_000n, cash: 7_434_000n - 743_400n, fee: 743_400n, price: 420_000n })
    const event = decodeEvent(entry.log)
    if (event?.kind !== 'filled') throw new Error('expected a filled order')
    const refund = { kind: 'refunded' as const, order: event.order, amount: event.fee, log_index: 9_999 }
    const { fills } = readTransaction([{ ...event, log_index: 1357 }, refund])
    expect(fills).toMatchObject([{ size: 17_700_000n, cash: 7_434_000n, fee: 0n, price: 420_000n }])
  })

  test('of the lifecycle have the stated parties and amounts', () => {
    expect(eventAt('rust/ctf_split_wallet')).toMatchObject({ kind: 'split', ...named('rust/ctf_split_wallet') })
    expect(eventAt('rust/ctf_merge_v2_adapter')).toMatchObject({ kind: 'merge', ...named('rust/ctf_merge_v2_adapter') })
    expect(eventAt('rust/negrisk_positions_converted')).toMatchObject({
      kind: 'converted',
      stakeholder: '0xada2005600dec949baf300f4c6120000bdb6eaab',
      market: '0xc93c202f8849d124e5929d3ef5378d9bd7fe1612b8a30c625c6576b0785adf00',
      indexSet: 1024n,
      amount: 10_000_000n,
    })
    for (const id of [
      'rust/ctf_payout_redemption_wallet',
      'rust/negrisk_payout_redemption_wallet',
      'java/ctf_payout_redemption',
    ])
      expect([id, eventAt(id)]).toMatchObject([id, { kind: 'redeemed', ...named(id) }])
    expect(eventAt('rust/ctf_condition_resolution')).toMatchObject({
      kind: 'resolved',
      ...named('rust/ctf_condition_resolution'),
      numerators: [1n, 0n],
    })
    const batch = eventAt('rust/ctf_transfer_batch_v2_redeem')
    expect(batch).toMatchObject({ kind: 'moved', ...named('rust/ctf_transfer_batch_v2_redeem') })
    expect(batch?.kind === 'moved' && [...batch.amounts.values()]).toEqual([5_000_000n, 0n])
    expect(eventAt('rust/usdce_transfer_redeem_payout')).toBeUndefined()
  })

  test('of a neg-risk match have no transfer of the wallet', () => {
    const entry = entries().find(({ id }) => id === 'ethkit/transfer_single_negrisk')
    expect(entry && rowsOf([entry.log])).toEqual({ fills: [], moves: [], unread: [] })
  })

  test('of one mint match of V2 give the maker alone its fill, and the taker what is left of the pair', () => {
    const logs = entries()
      .filter(({ id }) => id.startsWith('zetta/'))
      .map(({ log }) => log)
    const { fills, moves } = rowsOf(logs)
    expect(moves).toEqual([])
    expect(fills).toMatchObject([
      { trader: '0x86a29f88fcc23ea2b0e01b4e186b043e26c873a8', size: 6_493_505n, cash: 4_493_506n },
    ])
  })

  test('agree with the rows of the Data API of the same transactions', () => {
    const pair = z.object({
      chain: z.array(z.string()),
      api: z.looseObject({
        proxyWallet: z.string(),
        side: z.string(),
        size: z.number(),
        price: z.number(),
        usdcSize: z.number().optional(),
      }),
    })
    const pairs = z.array(pair).parse(readJson('pairs.json'))
    expect(pairs).toHaveLength(5)
    for (const { chain, api } of pairs) {
      const logs = entries().filter(({ id }) => chain.includes(id))
      // Their places are not all recorded, so the order of the list counts.
      const { fills } = rowsOf(logs.map(({ log }, n) => ({ ...log, log_index: n })))
      const fill = fills.find(({ trader }) => trader === api.proxyWallet)
      expect([fill?.size, fill?.isBuy]).toEqual([millionths(String(api.size)), api.side === 'BUY'])
      expect(isPrice(fill?.price ?? 0n, String(api.price))).toBe(true)
      if (api.usdcSize !== undefined) expect(fill?.cash).toBe(millionths(String(api.usdcSize)))
    }
  })

  test('decoded by another reader have the prices that their amounts give', () => {
    const row = z.object({
      usdcAmount: z.string(),
      shareAmount: z.string(),
      assetId: z.string(),
      conditionId: z.string(),
    })
    const rows = z.array(row).parse(readJson('decoded/smash_money_orderfilled.json'))
    expect(rows.length).toBe(130)
    const tokens = new Map(rows.map(({ conditionId, assetId }) => [assetId, conditionId]))
    expect(tokens.size).toBeGreaterThan(1)
    for (const [assetId, conditionId] of tokens) {
      const pair = [...tokenIds(conditionId, false), ...tokenIds(conditionId, true)]
      expect([conditionId, pair.includes(assetId)]).toEqual([conditionId, true])
    }
    for (const { usdcAmount, shareAmount } of rows) {
      const price = priceOf(BigInt(usdcAmount), BigInt(shareAmount))
      expect(price > 0n && price < 1_000_000n).toBe(true)
    }
  })

  test('of a purchase from a pool give one fill and no transfer', () => {
    const logs = receiptLogs('receipts/0x5f91f2af6644bb7fb9936f0f0c10d832c83d9bbdfd1c2f9f4c8472e43de7ddd0.json')
    const { fills, moves, unread } = rowsOf(logs)
    expect({ moves, unread }).toEqual({ moves: [], unread: [] })
    expect(fills).toMatchObject([
      {
        trader: '0xeaef0c7b11f84a8a97af028d3dbdab5f90adf52e',
        isBuy: true,
        role: 'taker',
        cash: 34_300_000n,
        fee: 700_000n,
        size: 327_319_959n,
      },
    ])
    const owners = logs.flatMap((log) => {
      const event = decodeEvent(log)
      return event?.kind === 'wallet' ? [event.owner] : []
    })
    expect(owners).toEqual(['0x1c53000bdd4c7821ed82588c8d21dd85e8b54284'])
  })

  test('of the funding of a pool give a split, and the shares that stay in the pool', () => {
    const logs = receiptLogs('receipts/0x19a2ba50b19ee8ed28fb902fe8cd0a64b0f7a4fe01281e70e2387fdd00ffd5f0.json')
    const { fills, moves, unread } = rowsOf(logs)
    expect({ fills, unread }).toEqual({ fills: [], unread: [] })
    const trader = '0x3d8a89a20aa73fba0f30d080e8120de9f9555724'
    expect(moves).toMatchObject([
      { kind: 'split', trader, size: 2_111_000_000n, cash: 2_111_000_000n },
      { kind: 'transfer_out', trader, size: 2_111_000_000n },
      { kind: 'transfer_out', trader, size: 1_116_141_129n },
    ])
  })
})

/** The stated values of an entry, with amounts in millionths and as the decoder names them. */
function named(id: string): Stated {
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(stated()[id] ?? {})) {
    if (name === 'amount' || name === 'payout') fields[name] = millionths(String(value))
    if (['stakeholder', 'redeemer', 'condition', 'from', 'to'].includes(name)) fields[name] = value
  }
  return fields
}

/** The logs of a recorded receipt, in either form. */
function receiptLogs(name: string): ChainLog[] {
  const body = z
    .looseObject({ logs: z.array(logShape).optional(), transaction: z.unknown().optional() })
    .parse(readJson(name))
  const nested = z.object({ receipt: z.object({ logs: z.array(z.unknown()) }) })
  const logs = body.logs ?? nested.parse(body.transaction).receipt.logs.map((log) => nestedLog.parse(log))
  return logs.map((log) => logOf(log))
}
const nestedLog = z
  .looseObject({
    address: z.string(),
    topics: z.array(z.string()),
    data: z.string(),
    logIndex: z.union([z.string(), z.number()]),
  })
  .transform(({ logIndex, ...log }) => ({ ...log, logIndex: Number(logIndex) }))

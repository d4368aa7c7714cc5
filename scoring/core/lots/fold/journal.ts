import type { Emit, ModelColumn } from '#models/model.ts'

import { isWide, toBigInt, type Amount } from './amount.ts'
import { openBatch, type Batch } from './batch.ts'
import type { Leg } from './input.ts'
import { origins, type Lot } from './lot.ts'

/** What a lot gave to: a sale, a transfer out, a carry to another address of the owner, a round trip. */
export const disposalKinds = ['sale', 'transfer', 'carry', 'arbitrage'] as const
export type DisposalKind = (typeof disposalKinds)[number]

/** The output of the ledger; `flush` writes the remaining rows. Dollars are whole millionths, NaN where not priced. */
export type Journal = {
  lot: (wallet: number, token: number, lot: Lot) => void
  disposed: (disposal: Disposal, leg: Leg, lot: Lot, amount: Amount) => void
  unmatched: (wallet: number, kind: DisposalKind, leg: Leg, amount: Amount, proceeds: number) => void
  flush: () => void
}

/** The part of a disposal that one lot took, beside its amount. */
export type Disposal = { wallet: number; kind: DisposalKind; proceeds: number; gas: number; cost: number }

const columns = (key: string, rest: string, texts = ''): ModelColumn[] =>
  [key, rest, texts].flatMap((list, part) =>
    list
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => ({ name, sql: typeOf(name, part === 2), isNullable: part === 2, isKey: part === 0 })),
  )

const typeOf = (name: string, isText: boolean): string =>
  isText ? 'VARCHAR' : /_index$|^(seq|lot|origin|kind)$/.test(name) ? 'INTEGER' : 'DOUBLE'

const place = 'wallet_index token_index block tx_index seq'

/**
 * The tables of the ledger, which `core.lots`, `core.disposals` and `core.unmatched` decode. `lot_rows` has the lots
 * with the date and amount of their event; `lot_exceptions` has the others in full. Amounts have two halves, or are
 * text from 2^103 on.
 */
export const outputs = {
  lot_rows: columns(`${place} lot`, 'origin cost cost_left left_high left_low'),
  lot_exceptions: columns(`${place} lot`, 'origin cost cost_left since', 'amount amount_left'),
  lot_disposals: columns(`${place} lot kind`, 'since high low proceeds gas cost', 'wide'),
  lot_unmatched: columns(`${place} kind`, 'high low proceeds', 'wide'),
}

export function openJournal(emit: Emit): Journal {
  const lots = openBatch(emit, 'lot_rows', outputs.lot_rows)
  const exceptions = openBatch(emit, 'lot_exceptions', outputs.lot_exceptions)
  const disposals = openBatch(emit, 'lot_disposals', outputs.lot_disposals)
  const rests = openBatch(emit, 'lot_unmatched', outputs.lot_unmatched)
  return {
    lot: (wallet, token, lot) => {
      const isPlain = isOfItsEvent(lot)
      const batch = isPlain ? lots : exceptions
      putPlace(batch, wallet, token, lot)
      batch.number(5, lot.number)
      batch.number(6, lot.origin)
      batch.number(7, lot.cost)
      batch.number(8, lot.costLeft)
      if (isPlain) putAmount(batch, 9, lot.left)
      else putInFull(batch, lot)
      batch.end()
    },
    disposed: ({ wallet, kind, proceeds, gas, cost }, leg, { number, since }, amount) => {
      putPlace(disposals, wallet, leg.token, leg)
      disposals.number(5, number)
      disposals.number(6, disposalKinds.indexOf(kind))
      disposals.number(7, since)
      putAmount(disposals, 8, amount)
      disposals.number(10, proceeds)
      disposals.number(11, gas)
      disposals.number(12, cost)
      disposals.end()
    },
    unmatched: (wallet, kind, leg, amount, proceeds) => {
      putPlace(rests, wallet, leg.token, leg)
      rests.number(5, disposalKinds.indexOf(kind))
      putAmount(rests, 6, amount)
      rests.number(8, proceeds)
      rests.end()
    },
    flush: () => [lots, exceptions, disposals, rests].forEach((batch) => batch.flush()),
  }
}

const isOfItsEvent = ({ origin, left }: Lot): boolean =>
  (origins[origin] === 'buy' || origins[origin] === 'transfer') && !isWide(left)

function putPlace(
  batch: Batch,
  wallet: number,
  token: number,
  { block, txIndex, seq }: { block: number; txIndex: number; seq: number },
): void {
  batch.number(0, wallet)
  batch.number(1, token)
  batch.number(2, block)
  batch.number(3, txIndex)
  batch.number(4, seq)
}

function putInFull(batch: Batch, { since, amount, left }: Lot): void {
  batch.number(9, since)
  batch.text(0, String(toBigInt(amount)))
  batch.text(1, String(toBigInt(left)))
}

/** Puts the halves into two columns, or the digits into the text. */
function putAmount(batch: Batch, column: number, amount: Amount): void {
  const is_wide = isWide(amount)
  batch.number(column, is_wide ? 0 : amount.high)
  batch.number(column + 1, is_wide ? 0 : amount.low)
  if (is_wide) batch.text(0, String(amount.wide))
}

import type { Emit, ModelColumn } from '#builder/model.ts'

import { isWide, toBigInt, type Amount } from './amount.ts'
import { openBatch, type Batch } from './batch.ts'
import type { Event } from './input.ts'
import { origins, type Lot, type Queue } from './lot.ts'

/** What a lot gave to: a sale, a transfer out, a carry to another address of the owner, a round trip. */
export const disposalKinds = ['sale', 'transfer', 'carry', 'arbitrage'] as const
export type DisposalKind = (typeof disposalKinds)[number]

/** The output of the ledger; `flush` writes the remaining rows. Dollars are whole millionths, NaN where not priced. */
export type Journal = {
  lot: (queue: Queue, lot: Lot) => void
  disposed: (queue: Queue, kind: DisposalKind, event: Event, disposal: Disposal) => void
  unmatched: (queue: Queue, kind: DisposalKind, event: Event, rest: Rest) => void
  flush: () => void
}

/** What a disposal took where no lot was left. */
type Rest = { amount: Amount; proceeds: number }

/** The part of a disposal that one lot took. */
type Disposal = Rest & { lot: Lot; gas: number; cost: number }

const columns = (key: string, rest: string, texts = ''): ModelColumn[] =>
  [key, rest, texts].flatMap((list, part) =>
    list
      .split(' ')
      .filter((name) => name !== '')
      .map((name) => ({ name, sql: typeOf(name, part === 2), isNullable: part === 2, isKey: part === 0 })),
  )

const typeOf = (name: string, isText: boolean): string =>
  isText ? 'VARCHAR' : /_index$|^(seq|lot|origin|kind|is_countable)$/.test(name) ? 'INTEGER' : 'DOUBLE'

const place = 'wallet_index token_index block tx_index seq'

/**
 * The tables of the ledger, which `core.acquisitions`, `core.allocations` and `core.unmatched` decode. `lot_rows` has the
 * lots with the date and amount of their event; `lot_exceptions` has the others in full. Amounts have two halves. The
 * tables `lot_wide_…` have the rows with an amount from 2^103 on, as text. Tables without texts take half the time.
 */
export const outputs = {
  lot_rows: columns(`${place} lot`, 'origin cost cost_left left_high left_low'),
  lot_exceptions: columns(`${place} lot`, 'origin cost cost_left since', 'amount amount_left'),
  lot_disposals: columns(`${place} lot kind`, 'is_countable ts since proceeds gas cost high low'),
  lot_wide_disposals: columns(`${place} lot kind`, 'is_countable ts since proceeds gas cost', 'wide'),
  lot_unmatched: columns(`${place} kind`, 'proceeds high low'),
  lot_wide_unmatched: columns(`${place} kind`, 'proceeds', 'wide'),
}

export function openJournal(emit: Emit): Journal {
  const open = (output: keyof typeof outputs): Batch => openBatch(emit, output, outputs[output])
  const [lots, exceptions] = [open('lot_rows'), open('lot_exceptions')]
  const [disposals, wideDisposals] = [open('lot_disposals'), open('lot_wide_disposals')]
  const [rests, wideRests] = [open('lot_unmatched'), open('lot_wide_unmatched')]
  return {
    lot: (queue, lot) => {
      const isPlain = isOfItsEvent(lot)
      const batch = isPlain ? lots : exceptions
      putPlace(batch, queue, lot)
      batch.number(5, lot.number)
      batch.number(6, lot.origin)
      batch.number(7, lot.cost)
      batch.number(8, lot.costLeft)
      if (isPlain) putAmount(batch, 9, lot.left)
      else putInFull(batch, lot)
      batch.end()
    },
    disposed: (queue, kind, event, { lot, amount, proceeds, gas, cost }) => {
      const batch = isWide(amount) ? wideDisposals : disposals
      putPlace(batch, queue, event)
      batch.number(5, lot.number)
      batch.number(6, disposalKinds.indexOf(kind))
      batch.number(7, event.isCountable * lot.isCountable)
      batch.number(8, event.ts)
      batch.number(9, lot.since)
      batch.number(10, proceeds)
      batch.number(11, gas)
      batch.number(12, cost)
      putAmount(batch, 13, amount)
      batch.end()
    },
    unmatched: (queue, kind, event, { amount, proceeds }) => {
      const batch = isWide(amount) ? wideRests : rests
      putPlace(batch, queue, event)
      batch.number(5, disposalKinds.indexOf(kind))
      batch.number(6, proceeds)
      putAmount(batch, 7, amount)
      batch.end()
    },
    flush: () => [lots, exceptions, disposals, wideDisposals, rests, wideRests].forEach((batch) => batch.flush()),
  }
}

const isOfItsEvent = ({ origin, left }: Lot): boolean =>
  (origins[origin] === 'buy' || origins[origin] === 'transfer') && !isWide(left)

function putPlace(
  batch: Batch,
  { wallet, token }: Queue,
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
  if (isWide(amount)) return batch.text(0, String(amount.wide))
  batch.number(column, amount.high)
  batch.number(column + 1, amount.low)
}

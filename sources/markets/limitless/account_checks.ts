import { z } from 'zod'

import type { NewRow } from '#ingest/source.ts'
import { time } from '#lake/columns.ts'
import type { LakeReader } from '#lake/reader.ts'
import type { Micros } from '#time.ts'

import { VENUE } from './hosts.ts'
import type { Notation } from './wire/amount_notation.ts'
import type { Evidence } from './wire/history_evidence.ts'

type Account = { account: string; until: Micros }

/** Holds the fills of a history against those that the lake has of the account. */
export type FillChecks = {
  /** Takes some fills of the history, all of a transaction together. Fills without one may come in parts. */
  add: (fills: readonly NewRow<'fills'>[]) => Promise<void>
  /** Why the history contradicts the fills of markets; null if it does not. */
  contradiction: () => string | null
  /** Whether the stored reading has fills as maker, and this one has none. */
  lostMakers: () => Promise<boolean>
}

export function openFillChecks(lake: LakeReader, { account, until }: Account): FillChecks {
  let [n_fills, n_traded, n_found, hasMaker, hasUnnamed] = [0, 0, 0, false, false]
  const values = { account, until: time.encode(until) }
  return {
    add: async (fills) => {
      const fillTxs = new Set(fills.map(({ tx }) => tx))
      // The transaction that is not named is one.
      if (hasUnnamed) fillTxs.delete('')
      hasUnnamed ||= fillTxs.has('')
      const txs = JSON.stringify([...fillTxs])
      const only = { fills: ['limitless_trades/'] }
      for (const counts of await lake.query(FOUND, foundShape, { ...values, txs }, only)) {
        n_traded = counts.n_traded
        n_found += counts.n_found
      }
      n_fills += fills.length
      hasMaker ||= fills.some(({ role }) => role === 'maker')
    },
    // A history that has none of the transactions may name them otherwise, unless it is empty.
    contradiction: () =>
      n_found === n_traded || (n_found === 0 && n_fills > 0)
        ? null
        : `contradicted: ${n_traded - n_found} of its ${n_traded} transactions in limitless_trades are not in its history`,
    lostMakers: async () => {
      if (hasMaker) return false
      const only = { fills: [`limitless_activity/${VENUE}/${account}`] }
      return (await lake.query(MAKERS, z.unknown(), values, only)).length > 0
    },
  }
}

/**
 * The notation of a history that looks raw. A decimal history of whole numbers looks alike, and both agree with the
 * prices, so the sizes of the stored fills decide: they differ by the decimals of the collateral.
 */
export async function checkedNotation(
  lake: LakeReader,
  { account, until }: Account,
  { notation, sizes }: Pick<Evidence, 'notation' | 'sizes'>,
): Promise<Notation> {
  if (notation() === 'decimal') return 'decimal'
  const values = { account, until: time.encode(until), sizes: JSON.stringify(sizes()) }
  const only = { fills: ['limitless_trades/'] }
  const rows = await lake.query(SIZES, z.object({ n_alike: z.number(), n_sized: z.number() }), values, only)
  return rows.some(({ n_alike, n_sized }) => 2 * n_alike > n_sized) ? 'decimal' : 'raw'
}

/** A fee in shares and further fills of a transaction change its size by less than a hundredfold. */
const SIZES = `
  with given as (
    select unnest(from_json($sizes, '[{"tx":"VARCHAR","size":"DOUBLE"}]'), recursive := true)
  ), traded as (
    select tx, sum(size)::double as size from lake.fills
    where source = 'limitless_trades' and trader = $account and ts < $until and size > 0 group by tx
  )
  select count(*) filter (given.size between traded.size / 100 and traded.size * 100)::int as n_alike,
    count(*)::int as n_sized
  from traded join given using (tx)`

/** The transactions of an account in the fills of markets, and how many of them are among the given ones. */
const FOUND = `
  with given as (
    select unnest(from_json($txs, '["VARCHAR"]')) as tx
  ), traded as (
    select distinct tx from lake.fills where source = 'limitless_trades' and trader = $account and ts < $until
  )
  select count(*)::int as n_traded, count(given.tx)::int as n_found from traded left join given using (tx)`

const foundShape = z.object({ n_traded: z.number(), n_found: z.number() })

const MAKERS = `
  select 1 as n from lake.fills
  where source = 'limitless_activity' and trader = $account and role = 'maker' and ts < $until limit 1`

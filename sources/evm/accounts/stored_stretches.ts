import { z } from 'zod'

import type { PlanContext } from '#ingest/source.ts'

export const resumeShape = z.object({
  first: z.number().nullable().exactOptional(),
  cut: z.number().exactOptional(),
  from_s: z.number().exactOptional(),
})

/**
 * What a stretch keeps: the block of the first transaction of the account (null: unknown) if it looked for it, the
 * first block that was read if its budget ended there, and the seconds of its first block.
 */
export type Resume = z.output<typeof resumeShape>

const stretchShape = z.object({
  key: z.string(),
  unit: z.string(),
  from: z.coerce.number(),
  to: z.coerce.number(),
  state: z.string(),
  reason_code: z.string().nullable(),
  n_rows: z.coerce.number(),
  checked_at: z.coerce.number(),
  resume: z
    .string()
    .nullable()
    .transform((text) => (text === null ? null : resumeShape.parse(JSON.parse(text)))),
})

/** A stored stretch of an account, by its transactions. `from` and `to` are its blocks, `to` exclusive. */
export type StoredStretch = z.output<typeof stretchShape>

/** The stretches of a chain by account; of one account if it is named. */
export async function storedStretches(
  source: string,
  { lake, part }: Pick<PlanContext, 'lake' | 'part'>,
  account = '',
): Promise<Map<string, StoredStretch[]>> {
  const rows = await lake.query(
    `select key, unit, from_block as from, to_block as to, state, reason_code, n_rows, resume,
       epoch_us(checked_at) as checked_at
     from lake.coverage
     where source = $source and part = $part and dataset = 'transactions' and $account in ('', key)
     order by unit`,
    stretchShape,
    { source, part: part.name, account },
    { coverage: [account === '' ? `${source}/${part.name}/` : `${source}/${part.name}/${account}/`] },
  )
  const accounts = new Map<string, StoredStretch[]>()
  for (const row of rows) {
    const stretches = accounts.get(row.key)
    if (stretches === undefined) accounts.set(row.key, [row])
    else stretches.push(row)
  }
  return accounts
}

/** The block of the first transaction, as a reading found it: null if it did not; undefined before such a reading. */
export const firstOf = (stretches: readonly StoredStretch[]): number | null | undefined =>
  stretches.find(({ resume }) => resume?.first !== undefined)?.resume?.first

import { z } from 'zod'

import { openFilled } from '#ingest/lost_columns.ts'
import { txHash } from '#ingest/parse/ids.ts'

import { openNotation, type Notation } from './amount_notation.ts'
import { amount, fillNames } from './history_rows.ts'

/** The facts that follow from all rows of a history together. */
export type Evidence = {
  add: (bodies: readonly unknown[]) => void
  /** The notation of the amounts. A decimal history of whole numbers alone looks like a raw one. */
  notation: () => Notation
  /** The shares of transactions as they were written, of the first ones. They show the notation beside known fills. */
  sizes: () => { tx: string; size: number }[]
  /** The fields that no fill of a longer history has, although each recorded one has them. */
  absent: () => string[]
}

/** Collects the evidence from the pages of a history as they come. */
export function openEvidence(): Evidence {
  const { add, notation } = openNotation()
  const filled = openFilled(['transactionHash', 'outcomeTokenPrice'], 5)
  const sizes = new Map<string, number>()
  return {
    add: (bodies) => {
      add(bodies.flatMap(amountsIn))
      filled.add(bodies.flatMap((body) => fillFields.safeParse(body).data ?? []))
      for (const { transactionHash: tx, outcomeTokenAmount: size } of bodies.flatMap(
        (body) => sizedFill.safeParse(body).data ?? [],
      ))
        if (sizes.has(tx) || sizes.size < mostSizes) sizes.set(tx, (sizes.get(tx) ?? 0) + size)
    },
    notation,
    sizes: () => [...sizes].map(([tx, size]) => ({ tx, size })),
    absent: filled.absent,
  }
}

const fillFields = z.object({
  strategy: z.enum(fillNames),
  transactionHash: z.unknown().default(null),
  outcomeTokenPrice: z.unknown().default(null),
})

const mostSizes = 1_000
const sizedFill = z.object({
  strategy: z.enum(fillNames),
  transactionHash: txHash,
  outcomeTokenAmount: z.coerce.number().positive(),
})

const amounts = z.object({
  collateralAmount: amount.optional(),
  outcomeTokenAmount: amount.optional(),
  outcomeTokenAmounts: z.array(amount).optional(),
})

/** The amounts of a row as they were written; none of a row that has another shape. */
const amountsIn = (body: unknown): (string | number)[] => {
  const { data } = amounts.safeParse(body)
  if (data === undefined) return []
  const { collateralAmount, outcomeTokenAmount, outcomeTokenAmounts = [] } = data
  return [collateralAmount, outcomeTokenAmount, ...outcomeTokenAmounts].filter((value) => value !== undefined)
}

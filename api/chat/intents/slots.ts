import { z } from 'zod'

import { addressForm, parseAddress } from '#api/contract/address.ts'
import { findChain, UnknownChain } from '#registry/chains/find_chain.ts'
import type { Micros } from '#time.ts'

const mostRows = 50

/** The number of rows of an answer. */
export const limitSlot = z.int().min(1).max(mostRows).describe('Number of rows; by default 5')

/** The rows of an answer whose question names no number. */
export const rowsOf = (limit: number | undefined): number => limit ?? 5

export const symbolSlot = z
  .string()
  .regex(/^[A-Z0-9][A-Z0-9._-]{0,19}$/)
  .describe('The symbol of an asset, in upper case')

/** An EVM or Solana address, as it is served. */
export const addressSlot = z
  .string()
  .refine((text) => parseAddress(text) !== null, addressForm)
  .overwrite((text) => parseAddress(text)?.shown ?? text)
  .describe(addressForm)

/** A chain by any of its names, as its slug. */
export const chainSlot = z
  .string()
  .regex(/^[\w-]{1,40}$/)
  .refine((name) => slugOf(name) !== null, 'a chain')
  .overwrite((name) => slugOf(name) ?? name)
  .describe('The slug of a chain, such as base')

const slugOf = (name: string): string | null => {
  try {
    return findChain(name).slug
  } catch (error) {
    if (error instanceof UnknownChain) return null
    throw error
  }
}

/** An instant of the marts as ISO 8601; null stays null. */
export const isoOf = (at: Micros | null): string | null => (at === null ? null : new Date(at / 1_000).toISOString())

/** The note of an answer whose facts are incomplete. */
export const coverageNotes = (coverage: string | null): string[] =>
  coverage === null || coverage === 'complete' ? [] : [`Coverage: ${coverage}.`]

/** Entries without those that are null or undefined. */
export const omitNulls = <T extends Record<string, unknown>>(values: T): { [K in keyof T]?: NonNullable<T[K]> } =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null && value !== undefined)) as {
    [K in keyof T]?: NonNullable<T[K]>
  }

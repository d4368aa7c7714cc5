import { z } from 'zod'

import { printable } from '#sources/evm/rpc/erc20.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { tokenStandards } from '#sources/solana/parse/programs.ts'

import { metadataAddress, readMetadata, type TokenWords } from './metadata.ts'

/** A token as its mint describes it. Without a mint, which its authority may close, all but the address is null. */
export type ReadMint = TokenWords & { mint: string; decimals: number | null; standard: string | null }

/** Mints of one request, which asks for two accounts of each: nodes answer for 100 accounts. */
const atOnce = 50

/**
 * The mint of a token; other accounts have other data. `tokenMetadata` holds the words of a token of the second
 * program.
 */
const mintShape = z.object({
  parsed: z.object({
    type: z.literal('mint'),
    info: z.object({
      decimals: z.number().int().min(0).max(255),
      extensions: z.array(z.looseObject({ extension: z.string(), state: z.unknown().optional() })).default([]),
    }),
  }),
})
const wordsShape = z.object({ name: z.string(), symbol: z.string() })
const bytesShape = z.tuple([z.string(), z.literal('base64')])

const accountsShape = z.object({
  value: z.array(z.object({ owner: z.string(), data: z.unknown() }).nullable()),
})
type Account = z.output<typeof accountsShape>['value'][number]

/** Reads mints and the accounts with their names: decimals, symbols and names as of now. */
export async function readMints(rpc: Rpc, mints: readonly string[]): Promise<ReadMint[]> {
  const read: ReadMint[] = []
  for (let at = 0; at < mints.length; at += atOnce) {
    const some = mints.slice(at, at + atOnce)
    const keys = [...some, ...(await Promise.all(some.map(metadataAddress)))]
    const shape = accountsShape.refine(({ value }) => value.length === keys.length, `expected ${keys.length} accounts`)
    const params = [keys, { encoding: 'jsonParsed', commitment: 'finalized' }]
    const { value } = await rpc.at((node) => node.call({ method: 'getMultipleAccounts', params, shape }))
    for (const [n, mint] of some.entries())
      read.push({ mint, ...describe(mint, value[n] ?? null, value[some.length + n] ?? null) })
  }
  return read
}

function describe(mint: string, account: Account, metadata: Account): Omit<ReadMint, 'mint'> {
  const info = mintShape.safeParse(account?.data).data?.parsed.info
  const standard = tokenStandards.get(account?.owner ?? '') ?? null
  if (info === undefined || standard === null) return { name: null, symbol: null, decimals: null, standard: null }
  const extensionWords = wordsShape.safeParse(
    info.extensions.find(({ extension }) => extension === 'tokenMetadata')?.state,
  ).data
  const [bytes = ''] = bytesShape.safeParse(metadata?.data).data ?? []
  const words = extensionWords
    ? { name: printable(extensionWords.name), symbol: printable(extensionWords.symbol) }
    : readMetadata(Buffer.from(bytes, 'base64'), mint)
  return { name: words?.name ?? null, symbol: words?.symbol ?? null, decimals: info.decimals, standard }
}

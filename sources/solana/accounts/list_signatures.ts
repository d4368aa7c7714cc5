import { z } from 'zod'

import { RpcFault } from '#sources/evm/rpc/fault.ts'
import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { tokenStandards } from '#sources/solana/parse/programs.ts'

/** A final transaction that names an address: its signature and its slot. */
export type Listed = { signature: string; slot: number }

/** Signatures of one answer: the most that nodes give. */
const perPage = 1_000

const pageShape = z.array(z.object({ signature: z.string().min(1), slot: z.number().int().nonnegative() }))

/**
 * Lists the transactions that name an address, newest first, above the slot `after` up to `last`. All pages are those
 * of one node, since another one may not know the signature at which a page ends, and answers with an empty page then.
 * A node that has not reached `last` refuses. `isCutOff`: the address has more than `most`, and the oldest are left
 * out.
 */
export async function listSignatures(
  rpc: Rpc,
  address: string,
  { after, last, most }: { after: number; last: number; most: number },
): Promise<{ listed: Listed[]; isCutOff: boolean }> {
  return rpc.at(async (node) => {
    const listed: Listed[] = []
    for (let before: string | undefined; ;) {
      const options = { limit: perPage, commitment: 'finalized', minContextSlot: last }
      const params = [address, before === undefined ? options : { ...options, before }]
      const page = await node.call({ method: 'getSignaturesForAddress', params, shape: pageShape })
      const above = page.filter(({ slot }) => slot > after)
      if (page.some(({ slot }, n) => slot > (page[n - 1]?.slot ?? Infinity)))
        throw new RpcFault('check', `signatures of ${address}: slots rise; expected the newest first`)
      listed.push(...above.filter(({ slot }) => slot <= last))
      before = page.at(-1)?.signature
      if (before === undefined || above.length < page.length) return { listed, isCutOff: false }
      if (listed.length >= most) return { listed, isCutOff: true }
    }
  })
}

const accountsShape = z.object({ value: z.array(z.object({ pubkey: z.string().min(1) })) })

/** The token accounts that an owner has now, of both programs of tokens. */
export async function openTokenAccounts(rpc: Rpc, owner: string, last: number): Promise<string[]> {
  // The addresses alone: no data of the accounts.
  const options = {
    encoding: 'base64',
    dataSlice: { offset: 0, length: 0 },
    commitment: 'finalized',
    minContextSlot: last,
  }
  const answers = await rpc.at((node) =>
    node.batch(
      [...tokenStandards.keys()].map((programId) => ({
        method: 'getTokenAccountsByOwner',
        params: [owner, { programId }, options],
        shape: accountsShape,
      })),
    ),
  )
  return answers.flatMap(({ value }) => value.map(({ pubkey }) => pubkey))
}

import { z } from 'zod'

import type { RpcNode } from '#sources/evm/rpc/node.ts'
import { isExactInteger, type ExactInteger } from '#sources/solana/parse/exact_json.ts'
import { tokenStandards } from '#sources/solana/parse/programs.ts'

/** The state of an account: its program, and its type where the node parses it. */
type AccountInfo = { owner: string; lamports: bigint; type: string }

const lamports = z.custom<ExactInteger>(isExactInteger, 'expected lamports').transform(BigInt)
const parsed = z.union([z.object({ type: z.string() }).transform(({ type }) => type), z.string()])
const shape = z.object({
  value: z
    .object({
      owner: z.string(),
      lamports,
      data: z.union([z.object({ parsed }).transform((data) => data.parsed), z.array(z.unknown()).transform(() => '')]),
    })
    .transform(({ data, ...account }): AccountInfo => ({ ...account, type: data }))
    .nullable(),
})

/** Reads an account at one node; null if it does not exist. */
export const readAccountInfo = async (node: RpcNode, address: string): Promise<AccountInfo | null> =>
  (await node.call({ method: 'getAccountInfo', params: [address, options], shape })).value

const options = { encoding: 'jsonParsed', commitment: 'confirmed' }

/** The reason why an account is no wallet; null for a wallet, a program, and an account that does not exist. */
export const noWalletReason = ({ owner, type }: AccountInfo): string | null =>
  tokenStandards.has(owner) ? `the address is a ${type === 'mint' ? 'mint' : 'token account'}, no wallet` : null

/** The reason why the account at an address is no wallet, as a node has it. */
export async function whyNoWallet(node: RpcNode, address: string): Promise<string | null> {
  const account = await readAccountInfo(node, address)
  return account === null ? null : noWalletReason(account)
}

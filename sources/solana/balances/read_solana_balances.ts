import { z } from 'zod'

import type { Rpc } from '#sources/evm/rpc/rpc.ts'
import { noWalletReason, readAccountInfo } from '#sources/solana/accounts/account_info.ts'
import { native } from '#sources/solana/parse/movements.ts'
import { tokenStandards } from '#sources/solana/parse/programs.ts'

/** The balance of one token in a wallet, in raw units. The name of a mint is not verified, so its symbol is null. */
type Held = { token: string; raw: bigint; decimals: number; symbol: string | null }

const tokenAccountsShape = z.object({
  value: z.array(
    z.object({
      account: z.object({
        data: z.object({
          parsed: z.object({
            info: z.object({
              mint: z.string(),
              tokenAmount: z.object({
                amount: z.string().regex(/^\d+$/).transform(BigInt),
                decimals: z.number().int(),
              }),
            }),
          }),
        }),
      }),
    }),
  ),
})

const options = { encoding: 'jsonParsed', commitment: 'confirmed' }

/**
 * Reads the balances of a wallet of Solana, at one node: its SOL, and its token accounts of both programs. An address
 * that does not exist holds nothing, and neither does a mint or a token account: `problem` says so. Throws a
 * `ChainFault` if no node answers.
 */
export async function readSolanaBalances(
  rpc: Rpc,
  wallet: string,
): Promise<{ held: Held[]; unread: string[]; problem?: string }> {
  return rpc.at(async (node) => {
    const account = await readAccountInfo(node, wallet)
    if (account === null) return { held: [], unread: [] }
    const problem = noWalletReason(account)
    if (problem !== null) return { held: [], unread: [], problem }
    const answers = await node.batch(
      [...tokenStandards.keys()].map((programId) => ({
        method: 'getTokenAccountsByOwner',
        params: [wallet, { programId }, options],
        shape: tokenAccountsShape,
      })),
    )
    const held = new Map<string, Held>()
    for (const { info } of answers.flatMap(({ value }) =>
      value.map((tokenAccount) => tokenAccount.account.data.parsed),
    )) {
      const { amount, decimals } = info.tokenAmount
      const raw = (held.get(info.mint)?.raw ?? 0n) + amount
      if (raw > 0n) held.set(info.mint, { token: info.mint, raw, decimals, symbol: null })
    }
    const { decimals, symbol } = rpc.chain.native
    const coin = { token: native, raw: account.lamports, decimals, symbol }
    return { held: coin.raw > 0n ? [coin, ...held.values()] : [...held.values()], unread: [] }
  })
}

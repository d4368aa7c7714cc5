import { z } from 'zod'

/** A token of a chain, as a list names it. */
export type Row = { chain_id: number; address: string; symbol?: string | undefined; decimals?: number | undefined }

/** What a list says: the wrapped coins, tokens by their symbols, tokens worth a US dollar without a symbol, explorers. */
export type Claims = {
  wrapped: readonly Row[]
  tokens: readonly Row[]
  dollars: readonly Row[]
  explorers: readonly { chain_id: number; url: string }[]
}

const tokenShape = z.object({
  chainId: z.coerce.number().int(),
  address: z.string(),
  symbol: z.string(),
  decimals: z.int(),
})
const coinShape = z.object({ address: z.string(), symbol: z.string() })

/** The values of an array that have a shape. */
export const flat = <T>(shape: z.ZodType<T>, values: unknown): T[] =>
  (Array.isArray(values) ? values : []).flatMap((value: unknown) => {
    const { data, success } = shape.safeParse(value)
    return success ? [data] : []
  })

/** The tokens in a value, at any depth: objects with a chain id, an address, a symbol and decimals. */
export function tokensIn(root: unknown): Row[] {
  const rows: Row[] = []
  const seen = new WeakSet<object>()
  const visit = (value: unknown, depth: number): void => {
    if (value === null || typeof value !== 'object' || seen.has(value) || depth > 9) return
    seen.add(value)
    const { data } = tokenShape.safeParse(value)
    if (data === undefined) {
      for (const key of Object.keys(value)) visit(Reflect.get(value, key), depth + 1)
      return
    }
    const { chainId, address, symbol, decimals } = data
    rows.push({ chain_id: chainId, address, symbol, decimals })
  }
  visit(root, 0)
  return rows
}

/** The coins of a table by chain id. */
export const coinsIn = (coins: Record<string, unknown>): Row[] =>
  Object.entries(coins).flatMap(([chain_id, coin]) => {
    const { data } = coinShape.safeParse(coin)
    return data === undefined ? [] : [{ chain_id: Number(chain_id), ...data }]
  })

/** The addresses of a table by chain id: a text, or several. */
export const keyedAddresses = (addresses: unknown): Row[] =>
  Object.entries(z.record(z.string(), z.unknown()).parse(addresses)).flatMap(([chain_id, value]) =>
    [value].flat().flatMap((address) => (typeof address === 'string' ? [{ chain_id: Number(chain_id), address }] : [])),
  )

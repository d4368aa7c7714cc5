import * as viem from 'viem/chains'
import { z } from 'zod'

/** The facts that the registry takes of a chain of viem. */
const chainShape = z.object({
  id: z.int(),
  name: z.string(),
  nativeCurrency: z.object({ symbol: z.string(), decimals: z.int() }),
  rpcUrls: z.object({ default: z.object({ http: z.array(z.string()) }) }),
  testnet: z.boolean().optional(),
  blockTime: z.number().optional(),
  contracts: z.record(z.string(), z.unknown()).optional(),
})
const contractShape = z.object({ address: z.string() })

/** The predeployed gas oracle of the OP stack; a chain that has it also has the predeployed wrapped coin. */
export const opGasOracle = '0x420000000000000000000000000000000000000f'
const loopback = /^https?:\/\/(localhost|127\.|0\.0\.0\.0|\[::1\])/

/**
 * `registry/chains/viem.ndjson`: the chains of viem that are no testnets and have a public https URL, one a line, by id and
 * export name. The table exists since the import of `viem/chains` takes a third of a second of CPU.
 */
export function viemTable(): string {
  const lines = Object.entries(viem).flatMap(([key, value]) => {
    const { data: chain } = chainShape.safeParse(value)
    if (chain === undefined || chain.testnet === true) return []
    const urls = chain.rpcUrls.default.http.filter((url) => url.startsWith('https://') && !loopback.test(url))
    if (urls.length === 0) return []
    const { symbol, decimals } = chain.nativeCurrency
    return {
      id: chain.id,
      viem: key,
      name: chain.name,
      symbol,
      decimals,
      urls,
      block_ms: chain.blockTime,
      multicall3: contractOf(chain.contracts?.['multicall3']),
      is_op_stack: contractOf(chain.contracts?.['gasPriceOracle']) === opGasOracle ? true : undefined,
    }
  })
  const sorted = lines.toSorted((a, b) => a.id - b.id || (a.viem < b.viem ? -1 : 1))
  return `${sorted.map((line) => JSON.stringify(line)).join('\n')}\n`
}

const contractOf = (contract: unknown): string | undefined =>
  contractShape.safeParse(contract).data?.address.toLowerCase()

import type { Chain } from '#registry/chains/chain.ts'

import { deployments } from './uniswap_v4.ts'

/** Contracts that every chain has at one address, or that are as old as their protocol. */
const everywhere = [
  // The settlement of CoW, the vaults of Balancer V2 and V3, and the entry points of ERC-4337.
  '0x9008d19f58aabd9ed0d60971565aa8510560ab41',
  '0xba12222222228d8ba445958a75a0704d566bf2c8',
  '0xba1333333333a1ba1108e8412f11850a5c319ba9',
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
]

/**
 * The contracts whose events are known to follow their declaration. A log of theirs that does not parse shows a mistake
 * of a decoder, so it is rejected. A log of any other contract may be made to look like a known event.
 */
export function knownEmitters({ slug, wrapped, stables }: Chain): ReadonlySet<string> {
  const manager = deployments[slug]?.manager
  return new Set([...everywhere, ...stables, ...(wrapped === null ? [] : [wrapped]), ...(manager ? [manager] : [])])
}

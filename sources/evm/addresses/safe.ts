import { addressIn, viewCall } from '#sources/evm/rpc/abi.ts'

/**
 * The hashes of the code of Safe's proxies, of versions 1.1.1, 1.3.0, 1.4.1 and 1.5.0. Version 1.2.0 has the proxy of
 * 1.1.1. Each is compiled into the factory of its version, whose hash `safe-deployments` publishes.
 */
const proxies = new Set([
  '0xaea7d4252f6245f301e540cfbee27d3a88de543af8e49c5c62405d5499fab7e5',
  '0xb89c1b3bdf2cf8827818646bce9a8f6e372885f8c55e5c07acbd307cb133b000',
  '0xd7d408ebcd99b2b70be43e20253d6d92a8ea8fab29bd3be7f55b10032331fb4c',
  '0x4e381985ca68b3e5d27b4425fa581c19cf33146d3f887a3cfca96f55528ea46f',
])

/**
 * The contracts that Safe's proxies run, by `safe-deployments`: versions 1.0.0 to 1.5.0, and the variants of rollups.
 */
const implementations = new Set([
  '0xb6029ea3b2c51d09a50b53ca8012feeb05bda35a',
  '0x34cfac646f301356faa8b21e94227e3583fe3f5f',
  '0x6851d6fdfafd08c0295c392436245e5bc78b0185',
  '0xd9db270c1b5e3bd161e8c8503c55ceabee709552',
  '0x69f4d1788e39c87893c980c06edf4b7f686e2938',
  '0x3e5c63644e683549055b9be8653de26e0b4cd36e',
  '0xfb1bffc9d739b8d520daf37df666da4c687191ea',
  '0x41675c099f32341bf84bfc5382af534df5c7461a',
  '0x29fcb43b46531bca003ddc8fcb67ffe91900c762',
  '0xff51a5898e281db6dfc7855790607438df2ca44b',
  '0xedd160febbd92e350d4d398fb636302fccd67c7e',
])

const implementationView = viewCall('masterCopy()')
const ownersView = viewCall('getOwners()')

/** The views of a Safe. The proxy answers the first one itself. */
export const safeViews: readonly string[] = [implementationView, ownersView]

/** The results of views by their call data; null where the contract refused. */
type Results = Readonly<Record<string, string | null>>

/** Whether code is that of a Safe's proxy, so that the result of its first view is true. */
export const isSafeProxy = (code_hash: string | null): boolean => code_hash !== null && proxies.has(code_hash)

/** Whether a proxy runs a published implementation of Safe. Any other contract may answer as it likes. */
export const isSafe = (results: Results): boolean => implementations.has(addressIn(results[implementationView]) ?? '')

/** The owner of a Safe that has one owner alone, whose signature is then enough. */
export function soleOwner(results: Results): string | null {
  const [offset, length, owner, ...more] = results[ownersView]?.slice(2).match(/.{64}/g) ?? []
  const isOne = Number(`0x${offset}`) === 32 && Number(`0x${length}`) === 1 && more.length === 0
  return isOne ? (addressIn(`0x${owner}`) ?? null) : null
}

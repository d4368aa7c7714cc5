import { expect, test } from 'vitest'
import { z } from 'zod'

import { createHttp } from '#ingest/http/http.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { accountRows, readAccounts } from '#sources/evm/addresses/read_accounts.ts'
import { createBlockFinder } from '#sources/evm/blocks/find_block.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { createRpc } from '#sources/evm/rpc/rpc.ts'
import { chainOf, header } from '#test/sources/evm/rpc/fake_chain.ts'

/** The proxies of Safe 1.3.0 and 1.5.0, as on Ethereum. */
const proxy13 =
  '0x608060405273ffffffffffffffffffffffffffffffffffffffff600054167fa619486e0000000000000000000000000000000000000000000000000000000060003514156050578060005260206000f35b3660008037600080366000845af43d6000803e60008114156070573d6000fd5b3d6000f3fea2646970667358221220d1429297349653a4918076d650332de1a1068c5f3e07c5c82360c277770b955264736f6c63430007060033'
const proxy15 =
  '0x608060405260005463a619486e60003560e01c14156024578060601b606c5260206060f35b3660008037600080366000845af43d6000803e806040573d6000fd5b3d6000f3fea2646970667358221220e61834ebd2d8cd909d362bf67c47ef58fd665df38e6dd036ce65611101d072e964736f6c63430007060033'
const [safe13, safe15, other] = [
  '0xd9db270c1b5e3bd161e8c8503c55ceabee709552',
  '0xff51a5898e281db6dfc7855790607438df2ca44b',
  `0x${'77'.repeat(20)}`,
]
const [ann, bob] = [`0x${'aa'.repeat(20)}`, `0x${'bb'.repeat(20)}`]
const words = (...values: (string | number)[]): string =>
  `0x${values.map((value) => (typeof value === 'number' ? value.toString(16) : value.slice(2)).padStart(64, '0')).join('')}`
const ownersOf = (...owners: string[]): string => words(32, owners.length, ...owners)

/** The implementation that a proxy runs, and the answer to `getOwners()`; null where it reverts. */
type Planted = { code: string; implementation?: string; owners?: string | null }

const masterCopy = '0xa619486e'
const callShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
const viewShape = z.object({ to: z.string(), data: z.string() })

/** Describes addresses on a chain without Multicall3. `n` names an address by its number. */
async function kindsOf(planted: readonly Planted[], senders: readonly number[] = []) {
  const chain = findChain('arbitrum-nova')
  const addressOf = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`
  const answer = ({ method, params }: z.infer<typeof callShape>): object => {
    if (method === 'eth_chainId') return { result: `0x${chain.id?.toString(16)}` }
    if (method === 'eth_blockNumber') return { result: '0x64' }
    // Nobody has sent anything before the first swap, and no block is old.
    if (method === 'eth_getTransactionCount') return { result: '0x0' }
    if (method === 'eth_getBlockByNumber') return { result: header(chainOf([]), Number(params[0])) }
    if (method === 'eth_getCode') return { result: planted[Number(params[0])]?.code }
    const { to, data } = viewShape.parse(params[0])
    const { implementation, owners = null } = planted[Number(to)] ?? {}
    const result = data === masterCopy ? implementation && words(implementation) : owners
    return result ? { result } : { error: { code: 3, message: 'execution reverted' } }
  }
  const hosts = endpointsOf(chain, { rpcUrls: { 'arbitrum-nova': ['https://node.example'] }, rpcWorld: 'real' })
  const timers = { now_ms: () => 0, sleep: async () => undefined }
  const http = createHttp({
    hosts: Object.fromEntries(hosts.map((host) => [host.name, { ...host, requestsPer10s: 1e9 }])),
    random: () => 0,
    ...timers,
    fetch: async (_, init) => {
      const asked: unknown = JSON.parse(z.string().parse(init?.body))
      const replyTo = (call: unknown) => {
        const { id, ...one } = callShape.parse(call)
        return { jsonrpc: '2.0', id, ...answer({ id, ...one }) }
      }
      return new Response(JSON.stringify(Array.isArray(asked) ? asked.map(replyTo) : replyTo(asked)))
    },
  })
  const rpc = createRpc(chain, hosts, (request, shape) => http(request, shape), createRpcMemory(timers))
  const accounts = planted.map((_, n) => ({ address: addressOf(n), named_s: 0, isSender: senders.includes(n) }))
  const read = await readAccounts(rpc, accounts, { head: 100, findBlock: createBlockFinder() })
  const rows = accountRows('arbitrum-nova', read.accounts, 5)
  expect(rows.map(({ address, seen_at }) => ({ address, seen_at }))).toEqual(
    accounts.map(({ address }) => ({ address, seen_at: 5 })),
  )
  return rows.map(({ kind, owner, code_hash }) => ({ kind, owner, hasCode: code_hash !== null }))
}

test('the kind of an address follows from its code, and from what it sent', async () => {
  const delegation = `0xef0100${'12'.repeat(20)}`
  const planted = [{ code: '0x' }, { code: delegation }, { code: '0x6001' }, { code: '0x6001' }, { code: '0xef01' }]
  expect(await kindsOf(planted, [0, 1, 2])).toEqual([
    { kind: 'eoa', owner: null, hasCode: false },
    { kind: 'delegated', owner: null, hasCode: true },
    { kind: 'smart_account', owner: null, hasCode: true },
    { kind: 'contract', owner: null, hasCode: true },
    { kind: 'contract', owner: null, hasCode: true },
  ])
})

test('a Safe of one owner belongs to it, and a Safe of several has no single owner', async () => {
  const planted = [
    { code: proxy13, implementation: safe13, owners: ownersOf(ann) },
    { code: proxy15, implementation: safe15, owners: ownersOf(bob) },
    { code: proxy13, implementation: safe13, owners: ownersOf(ann, bob) },
    { code: proxy13, implementation: safe13 },
  ]
  expect((await kindsOf(planted)).map(({ kind, owner }) => ({ kind, owner }))).toEqual([
    { kind: 'safe', owner: ann },
    { kind: 'safe', owner: bob },
    { kind: 'safe', owner: null },
    { kind: 'safe', owner: null },
  ])
})

test('a contract that only claims to be a Safe is none', async () => {
  const planted = [
    // Other code, and the code of the proxy before another implementation.
    { code: '0x6001', implementation: safe13, owners: ownersOf(ann) },
    { code: proxy13, implementation: other, owners: ownersOf(ann) },
    { code: proxy13, owners: ownersOf(ann) },
  ]
  expect(await kindsOf(planted)).toEqual(planted.map(() => ({ kind: 'contract', owner: null, hasCode: true })))
})

import { z } from 'zod'

import { createHttp } from '#ingest/http/http.ts'
import type { Get } from '#ingest/http/request.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf } from '#sources/evm/rpc/endpoints.ts'
import { createRpc, type Rpc } from '#sources/evm/rpc/rpc.ts'

import { blockHash, header, hexOf, txHash, wireLogs, wireReceipts, type FakeChain } from './fake_chain.ts'

const address = `0x${'1'.repeat(40)}`
const action = { from: address, to: address, value: '0x0' }
const frame = { type: 'CALL', ...action }
const flatTrace = { type: 'call', action: { callType: 'call', ...action }, traceAddress: [] }

/** The ways in which a node misbehaves. Without any, it is honest and has no limits. */
export type Behaviour = {
  chainId?: number
  /** Blocks and logs of an `eth_getLogs`, and the error beyond. */
  maxRange?: number
  maxLogs?: number
  rangeError?: (limit: number) => string
  maxBatch?: number
  /** Its answer to an array, if it serves single calls alone. */
  batchAnswer?: 'status 400' | 'status 405' | 'error' | 'object'
  /** The time of block 0, in seconds. */
  start_s?: number
  /** Its head is so many blocks behind. */
  lag?: number
  /** It has the state of so many blocks below its head. */
  stateDepth?: number
  /** It writes that there is no error. */
  nullError?: boolean
  /** The method by which it shows the calls of a transaction. */
  traces?: 'debug_traceTransaction' | 'trace_transaction'
  /** No method beside those of headers and filtered logs. */
  isPoor?: boolean
  /** Its false answers: all, or the first of them. */
  lie?: 'empty' | 'duplicate' | 'other fork' | 'null block' | 'outside' | 'shuffled'
  lies?: number
  /** The fault of the nth request, from 1. */
  fault?: (nth: number) => Fault | undefined
}

export type Fault = 'down' | 'html' | 'truncated' | '429' | '429 later' | '500' | 'rate limit' | 'no reply' | '403'

const callShape = z.object({ id: z.number(), method: z.string(), params: z.array(z.unknown()) })
type Call = z.infer<typeof callShape>

/** A JSON-RPC node as a `fetch`. */
export function fakeNode(chain: FakeChain, behaviour: Behaviour) {
  const seen: Call[][] = []
  let n_lies = 0
  const answer = (text: string, status = 200, headers = {}): Response => new Response(text, { status, headers })
  const respond = (body: string): Response => {
    const asked: unknown = JSON.parse(body)
    const calls = z.array(callShape).parse(Array.isArray(asked) ? asked : [asked])
    seen.push(calls)
    const fault = behaviour.fault?.(seen.length)
    if (fault === 'down') throw new TypeError('fetch failed')
    if (fault === 'html') return answer('<html><body>Bad gateway</body></html>')
    if (fault === '429') return answer('slow down', 429)
    if (fault === '429 later') return answer('slow down', 429, { 'retry-after': '7' })
    if (fault === '500') return answer('oops', 500)
    if (fault === '403') return answer('{"error":"this key is gone"}', 403)
    if (Array.isArray(asked) && calls.length > (behaviour.maxBatch ?? Number.POSITIVE_INFINITY))
      return answer('{"jsonrpc":"2.0","error":{"code":-32600,"message":"maximum 3 calls in 1 batch"},"id":null}')
    if (Array.isArray(asked) && behaviour.batchAnswer !== undefined) {
      if (behaviour.batchAnswer === 'status 400') return answer('bad request', 400)
      if (behaviour.batchAnswer === 'status 405') return answer('', 405)
      const error = behaviour.batchAnswer === 'error' ? { error: { code: -32_700, message: 'parse error' } } : {}
      return answer(JSON.stringify({ jsonrpc: '2.0', id: null, ...error }))
    }
    const replies = calls.map((call) => {
      if (fault === 'rate limit') return { error: { code: -32_005, message: 'rate limit exceeded' } }
      return result(call)
    })
    const none = behaviour.nullError === true ? { error: null } : {}
    const whole = calls.map(({ id }, n) => ({ jsonrpc: '2.0', id, ...none, ...replies[n] })).reverse()
    if (fault === 'no reply') whole.pop()
    const text = JSON.stringify(Array.isArray(asked) ? whole : whole[0])
    return answer(fault === 'truncated' ? text.slice(0, text.length / 2) : text)
  }

  const isLying = (lie: Behaviour['lie']): boolean =>
    behaviour.lie === lie && n_lies < (behaviour.lies ?? Number.POSITIVE_INFINITY)

  const head = chain.length - 1 - (behaviour.lag ?? 0)
  const result = ({ method, params }: Call): object => {
    const [first] = params
    if (method === 'eth_chainId') return { result: hexOf(behaviour.chainId ?? 1) }
    if (method === 'eth_blockNumber') return { result: hexOf(head) }
    if (method === 'eth_getBlockByNumber') {
      if (first === 'finalized' && behaviour.isPoor === true)
        return { error: { code: -32_602, message: 'finalized is not a supported commitment level' } }
      const block = first === 'finalized' ? head - 10 : Number(first)
      if (isLying('null block') && block % 7 === 3) {
        n_lies += 1
        return { result: null }
      }
      return { result: block > head ? null : header(chain, block, behaviour.start_s) }
    }
    if (method === 'eth_getBalance') {
      const isKept = Number(params[1]) >= head - (behaviour.stateDepth ?? head)
      return isKept ? { result: '0x0' } : { error: { code: -32_000, message: 'missing trie node' } }
    }
    if (method === 'eth_getBlockReceipts' && behaviour.isPoor !== true)
      return { result: Number(first) > head ? null : wireReceipts(chain, Number(first)) }
    if (method === behaviour.traces) return { result: method === 'trace_transaction' ? [flatTrace] : frame }
    if (method === 'eth_getLogs') return logs(z.record(z.string(), z.unknown()).parse(first))
    return { error: { code: -32_601, message: `the method ${method} does not exist/is not available` } }
  }

  const logs = (asked: Record<string, unknown>): object => {
    if (typeof asked['blockHash'] === 'string') {
      if (behaviour.isPoor === true) return { error: { code: -32_602, message: 'topics are required' } }
      const block = chain.findIndex((_, n) => blockHash(n) === asked['blockHash'])
      return { result: wireLogs(chain, block) }
    }
    const [from, to] = [Number(asked['fromBlock']), Number(asked['toBlock'])]
    const { maxRange = Number.POSITIVE_INFINITY, maxLogs = Number.POSITIVE_INFINITY } = behaviour
    if (to - from + 1 > maxRange) {
      const message = behaviour.rangeError?.(maxRange) ?? 'block range is too large'
      return { error: { code: -32_600, message } }
    }
    const [topics] = z.array(z.union([z.array(z.string()), z.string()])).parse(asked['topics'])
    const found = chain
      .slice(from, Math.min(to, head) + 1)
      .flatMap((_, n) => wireLogs(chain, from + n))
      .filter((log) => topics?.includes(log.topics[0] ?? ''))
    if (found.length > maxLogs) return { error: { code: -32_005, message: 'query returned more than 10000 results' } }
    return { result: lieAbout(found) }
  }

  const lieAbout = (found: ReturnType<typeof wireLogs>): object[] => {
    const [first] = found
    if (isLying('shuffled')) return found.toReversed()
    if (first === undefined || behaviour.lie === 'null block' || !isLying(behaviour.lie) || !behaviour.lie) return found
    n_lies += 1
    if (behaviour.lie === 'empty') return []
    if (behaviour.lie === 'duplicate') return [...found, first]
    if (behaviour.lie === 'outside') return [{ ...first, blockNumber: hexOf(chain.length + 5) }, ...found]
    return [{ ...first, blockHash: txHash(0, 0) }, ...found.slice(1)]
  }

  return { respond, seen }
}

/** The reader of Ethereum over nodes, with a clock that only sleeping advances. */
export function readerOf(chain: FakeChain, behaviours: readonly Behaviour[]) {
  const urls = behaviours.map((_, n) => `https://node${n}.example${n}`)
  const nodes = behaviours.map((behaviour) => fakeNode(chain, behaviour))
  const ethereum = findChain('ethereum')
  const hosts = endpointsOf(ethereum, { rpcUrls: { ethereum: urls }, rpcWorld: 'real' })
  let now_ms = 1_790_000_000_000
  const slept: number[] = []
  const timers = {
    now_ms: () => now_ms,
    sleep: async (ms: number) => {
      slept.push(ms)
      now_ms += ms
    },
  }
  const http = createHttp({
    hosts: Object.fromEntries(hosts.map((host) => [host.name, { ...host, requestsPer10s: 1e9 }])),
    random: () => 0.5,
    ...timers,
    fetch: async (url, init) => {
      const node = nodes[urls.indexOf(z.string().parse(url))]
      if (node === undefined) throw new Error('fetch: no such node')
      return node.respond(z.string().parse(init?.body))
    },
  })
  const memory = createRpcMemory(timers)
  /** Sends every request to the first node. */
  const get: Get = (request, shape) => http({ ...request, host: 'rpc_ethereum_1', upstreams: undefined }, shape)
  const rpc: Rpc = createRpc(ethereum, hosts, (request, shape) => http(request, shape), memory)
  return {
    rpc,
    get,
    memory,
    hosts,
    timers,
    slept,
    wait: (ms: number) => void (now_ms += ms),
    seen: nodes.map(({ seen }) => seen),
  }
}

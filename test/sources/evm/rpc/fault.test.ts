import { describe, expect, test } from 'vitest'

import { HttpError } from '#ingest/http/http.ts'
import { faultOf, faultOfRequest } from '#sources/evm/rpc/fault.ts'
import type { FaultKind } from '#sources/evm/rpc/fault_texts.ts'

/** Error texts of live endpoints, with the blocks that they accept. */
const texts: readonly [text: string, kind: FaultKind, limit?: number][] = [
  ['requested too many blocks from 100 to 5000, maximum is set to 2048', 'range', 2047],
  ['Max range: 800', 'range', 799],
  ['Maximum allowed number of requested blocks is 1000', 'range', 1000],
  ['Log response size exceeded. Try with this block range [0x10, 0x1f].', 'range', 16],
  ['query returned more than 10000 results. Try with this block range [0x10,0x20].', 'range', 17],
  ['Based on your parameters, this block range should work: [0x64, 0x6d]', 'range', 10],
  ['Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range.', 'range', 10],
  ['block range is too wide', 'range', 3000],
  ['block range is too wide (maximum 1024)', 'range', 1024],
  ['eth_getLogs is limited to a 10,000 range', 'range', 10_000],
  ['eth_getLogs is limited to 1024 block range', 'range', 1024],
  ['exceeds the range allowed for your plan (5000 > 500)', 'range', 500],
  ['Block range limit exceeded. See more details', 'range', 100],
  ['please limit the query to at most 1000 blocks', 'range', 999],
  ['exceed maximum block range: 50000', 'range', 50_000],
  ['query exceeds max block range 1000', 'range', 1000],
  ['block range greater than 2000 max', 'range', 2000],
  ['block range exceeds 1000', 'range', 1000],
  ['exceed max block range: 5000', 'range', 4999],
  ['block range too large (2000), maximum allowed is 1000 blocks', 'range', 1000],
  ['eth_getLogs range is too large, max is 10k blocks', 'range', 10_000],
  ['query must be smaller than size 1024', 'range', 1024],
  ['maximum [from, to] blocks distance: 9000', 'range', 9000],
  ['allowed block range threshold exceeded', 'range'],
  ['no backend is currently healthy to serve traffic', 'range'],
  ['block range too large', 'range'],
  ['backend response too large', 'range'],
  ['query exceeds max results 20000, retry with the range', 'range'],
  ['logs matched by query exceeds limit of 10000', 'range'],
  ['query returned more than 10000 results', 'range'],
  ['response size should not greater than 10000000 bytes', 'range'],
  ['ranges over 10000 blocks are not supported on freetier', 'range'],
  ['too many results, try paginating', 'range'],
  ['query exceeds limit', 'range'],
  ['please specify less number of addresses', 'filter'],
  ['exceed max addresses or topics per search position', 'filter'],
  ['maximum 10 calls in 1 batch', 'batch'],
  ['Batch of more than 3 requests are not allowed on free tier, to use this feature register paid account', 'batch'],
  ['batch size is too large', 'batch'],
  ['missing trie node 5ffa (path )', 'history'],
  ['height is not available (requested height: 1, base height: 100)', 'history'],
  ['historical state 0xab is not available', 'history'],
  ['required historical state unavailable (reexec=128)', 'history'],
  ['No state available for block 0x10', 'history'],
  ['World state unavailable', 'history'],
  ['old data not available due to pruning', 'history'],
  ['project ID does not have access to archive state', 'history'],
  ['Archive requests require a personal token', 'history'],
  ['Archive, Debug and Trace requests require a personal token', 'history'],
  ['header not found', 'lag'],
  ['cannot query unfinalized data', 'lag'],
  ['requested from block 10 after last accepted block 5', 'lag'],
  ['invalid block height: 99999', 'lag'],
  ['finalized block not found', 'tag'],
  ['finalized is not a supported commitment level', 'tag'],
  ['the method eth_getBlockReceipts does not exist/is not available', 'method'],
  ['rpc method is not whitelisted', 'method'],
  ['Method not found', 'method'],
  ['Monthly capacity limit exceeded. Visit the dashboard to upgrade', 'quota'],
  ['You have reached the free tier limit', 'quota'],
  ['rate limit exceeded', 'rate limit'],
  ['this endpoint is rate limited to 25 requests per second', 'rate limit'],
  ['Too Many Requests', 'rate limit'],
  ['Your app has exceeded its compute units per second capacity', 'rate limit'],
  ['daily request count exceeded, request rate limited', 'quota'],
  ['Unauthorized: You must authenticate your request with an API key', 'unauthorised'],
  ['request timed out', 'timeout'],
  ['execution aborted (timeout = 5s)', 'timeout'],
  ['execution reverted: rate limit exceeded', 'contract'],
  ['execution reverted: forbidden', 'contract'],
  ['VM Exception while processing transaction: revert', 'contract'],
  ['out of gas: gas required exceeds allowance: 50000000', 'contract'],
  ['invalid opcode: INVALID', 'contract'],
  ['stack limit reached 1024 (1023)', 'contract'],
  ['VM execution error.', 'contract'],
  ['something new', 'other'],
]

describe('an error of a node', () => {
  test.each(texts)('%s', (message, kind, limit) => {
    const fault = faultOf('eth_getLogs', { code: -32_000, message })
    expect({ kind: fault.kind, limit: fault.limit }).toEqual({ kind, limit })
    expect(fault.message).toContain(message)
  })

  test.each<[object, FaultKind]>([
    [{ code: -32_601, message: 'nope' }, 'method'],
    [{ code: -32_005, message: 'no' }, 'rate limit'],
    [{ code: -32_603, message: 'internal error' }, 'down'],
    [{ code: 3, message: '0x' }, 'contract'],
    [{ code: 1 }, 'other'],
    [{ code: -32_602, message: 'invalid', data: { details: 'block range exceeds 500' } }, 'range'],
  ])('%j has its code or its data', (error, kind) => {
    expect(faultOf('eth_call', error).kind).toBe(kind)
  })
})

const failed = (
  status: number,
  body = '',
  more: { what?: string; limit?: HttpError['limit']; pause_ms?: number } = {},
): HttpError =>
  new HttpError({ host: 'node', path: '', status, attempts: 1, body, what: `answered ${status}`, ...more })

describe('a failed request', () => {
  test.each<[HttpError, FaultKind, number?]>([
    [failed(429, 'slow', { pause_ms: 9_000 }), 'rate limit'],
    [failed(401), 'unauthorised'],
    [failed(403, 'Archive requests require a token'), 'history'],
    [failed(400, '{"error":{"code":-32600,"message":"block range exceeds 500"}}'), 'range', 500],
    [failed(413), 'batch'],
    [failed(502, '<html>'), 'down'],
    [failed(200, '', { limit: 'bytes' }), 'range'],
    [failed(0, '', { limit: 'time' }), 'timeout'],
    [failed(0, '', { what: 'could not be read: fetch failed' }), 'down'],
  ])('%s', (error, kind, limit) => {
    const fault = faultOfRequest(error)
    expect({ kind: fault.kind, limit: fault.limit, pause_ms: fault.pause_ms }).toEqual({
      kind,
      limit,
      pause_ms: error.pause_ms,
    })
  })

  test('of another kind is thrown again', () => {
    expect(() => faultOfRequest(new TypeError('a mistake'))).toThrow(TypeError)
  })
})

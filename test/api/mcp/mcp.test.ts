import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'

import { tiers, type Tier } from '#accounts/tiers.ts'
import { endpoints as allEndpoints } from '#api/endpoints/index.ts'
import { entities } from '#test/api/chat/entities.ts'
import { startFixedMart } from '#test/api/chat/fixed_mart.ts'
import type { Service } from '#test/api/service.ts'

let service: Service
beforeAll(async () => {
  service = await startFixedMart()
})
afterAll(async () => service.stop())

const reply = z.object({
  isError: z.boolean().default(false),
  content: z.array(z.object({ text: z.string() })),
  structuredContent: z.record(z.string(), z.unknown()).default({}),
})

const connect = async (tier: Tier) => {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const headers = { Authorization: `Bearer ${service.keys[tier]}` }
  const transport = new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { requestInit: { headers } })
  await client.connect(transport)
  const call = async (name: string, input: Record<string, unknown> = {}) =>
    reply.parse(await client.callTool({ name, arguments: input }))
  return { client, call }
}

const restName = (path: string) => path.slice(1).replaceAll('-', '_')

describe.each(['free', 'pro', 'enterprise'] as const)('a client of the tier %s', (tier) => {
  test('sees the reads of its tier as tools', async () => {
    const { client } = await connect(tier)
    const { tools } = await client.listTools()
    const endpoints: readonly string[] = tiers[tier].endpoints
    const reads = allEndpoints.filter(
      ({ name, method }) => endpoints.includes(name) && (method === 'GET' || name === 'POST /chat'),
    )
    expect(tools.map(({ name }) => name).sort()).toEqual(reads.map(({ path }) => restName(path)).sort())
    for (const { annotations, inputSchema } of tools) {
      expect(annotations?.readOnlyHint).toBe(true)
      expect(inputSchema.type).toBe('object')
    }
    await client.close()
  })

  test('gets what REST answers to the same key, and the errors of REST', async () => {
    const { client, call } = await connect(tier)
    const address = entities['W1'] ?? ''
    const reads: [string, string, Record<string, unknown>][] = [
      ['/v1/pm-markets?limit=2', 'pm_markets', { limit: 2 }],
      ['/v1/pm-markets?limit=0', 'pm_markets', { limit: 0 }],
      ['/v1/signals?assets=BTC%2CETH', 'signals', { assets: ['BTC', 'ETH'] }],
      ['/v1/feed?limit=3', 'feed', { limit: 3 }],
      ['/v1/pm-traders?sort=pnl', 'pm_traders', { sort: 'pnl' }],
      ['/v1/discover?chain=narnia', 'discover', { chain: 'narnia' }],
      [`/v1/wallet?address=${address}`, 'wallet', { address }],
      [`/v1/pm-wallet?address=${address}`, 'pm_wallet', { address }],
    ]
    for (const [path, name, input] of reads) {
      const rest = await service.ask(path, { headers: { authorization: `Bearer ${service.keys[tier]}` } })
      const { isError, content, structuredContent } = await call(name, input)
      expect(isError, path).toBe(rest.status !== 200)
      const body =
        rest.status === 200
          ? (structuredContent['items'] ?? structuredContent['item'])
          : JSON.parse(content[0]?.text ?? '')
      expect(body, path).toEqual(JSON.parse(rest.text))
    }
    await client.close()
  })
})

test('pages follow each other by the cursor of the result', async () => {
  const { client, call } = await connect('pro')
  const first = await call('pm_markets', { limit: 8 })
  const second = await call('pm_markets', { limit: 8, cursor: first.structuredContent['next_cursor'] })
  const rows = [first, second].flatMap(({ structuredContent }) =>
    z.array(z.object({ id: z.string() })).parse(structuredContent['items']),
  )
  expect(new Set(rows.map(({ id }) => id)).size).toBe(13)
  expect(second.structuredContent).not.toHaveProperty('next_cursor')
  await client.close()
})

test('the assistant is a tool of the tiers that have it, with its own limit', async () => {
  const pro = await connect('pro')
  const asked = await pro.call('chat', { query: 'mindshare of SOL this week' })
  expect(JSON.stringify(asked.structuredContent['item'])).toContain('12.77 %')
  expect((await pro.call('chat', { query: '' })).isError).toBe(true)
  const free = await connect('free')
  const refused = await free.call('chat', { query: 'mindshare of SOL this week' })
  expect([refused.isError, refused.content[0]?.text]).toEqual([true, expect.stringContaining('"forbidden"')])
  expect((await free.call('nothing')).content[0]?.text).toContain('"not_found"')
  await Promise.all([pro.client.close(), free.client.close()])
})

test('a request without a key, of another method or with several messages is refused', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  expect((await service.ask('/mcp', { method: 'POST', headers: { ...headers, authorization: '' }, body })).status).toBe(
    401,
  )
  expect((await service.ask('/mcp')).status).toBe(405)
  expect((await service.ask('/mcp', { method: 'POST', headers, body: `[${body},${body}]` })).status).toBe(400)
  const listed = await service.ask('/mcp', { method: 'POST', headers, body })
  expect(listed.status).toBe(200)
  const again = await service.ask('/mcp', { method: 'POST', headers, body })
  const left = (one: typeof listed) => Number(/r=(\d+)/.exec(String(one.headers['ratelimit']))?.[1])
  expect(left(again)).toBe(left(listed) - 1)
})

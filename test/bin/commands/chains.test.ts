import { expect, test } from 'vitest'
import { z } from 'zod'

import { chains } from '#bin/commands/chains.ts'
import { parseConfig } from '#config.ts'
import { chains as registry } from '#registry/chains/registry.ts'
import { runCommand } from '#test/bin/command.ts'
import { bodyOf, serve } from '#test/ingest/http/server.ts'
import { chainOf } from '#test/sources/evm/rpc/fake_chain.ts'
import { fakeNode, type Behaviour } from '#test/sources/evm/rpc/fake_node.ts'

const lines = (output: string): unknown[] =>
  output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

/** The URL of a node that answers over HTTP. */
async function nodeOf(behaviour: Behaviour): Promise<string> {
  const { respond } = fakeNode(chainOf([1, 2, 3]), behaviour)
  const { url } = await serve((request, response) => {
    const answered = async (): Promise<void> => {
      const answer = respond(await bodyOf(request))
      response.writeHead(answer.status).end(await answer.text())
    }
    void answered()
  })
  return url
}

test('lists every chain, or one by any of its names', async () => {
  const { code, output } = await runCommand(chains, ['--json'], parseConfig({}))
  expect(code).toBe(0)
  expect(lines(output)).toEqual(registry)
  const { output: one } = await runCommand(chains, ['--chain', 'mainnet'], parseConfig({}))
  expect(one).toMatch(/^ethereum +1 +Ethereum +ethereum\.reth\.rs, ethereum-rpc\.publicnode\.com, .*\n$/)
  await expect(runCommand(chains, ['--chain', 'etherium'], parseConfig({}))).rejects.toThrow(
    '--chain: chain etherium: unknown; expected a slug, a chain id or a name of viem, such as ethereum',
  )
})

test('probes the endpoints of the environment, a line each, and reports dead ones', async () => {
  // Its head stays young for longer than the test runs.
  const start_s = Math.floor(Date.now() / 1_000) + 3_600
  const [own, wrong] = [await nodeOf({ maxBatch: 4, start_s }), await nodeOf({ chainId: 56 })]
  const config = parseConfig({ RPC_ETHEREUM: `${own}/a-secret-of-a-node,${wrong},http://127.0.0.1:9` })
  const { code, output } = await runCommand(chains, ['--probe', '--chain', '1', '--json'], config)
  expect(code).toBe(0)
  const shape = z.array(z.looseObject({ endpoint: z.string() }))
  const found = shape.parse(lines(output)).toSorted((a, b) => (a.endpoint < b.endpoint ? -1 : 1))
  expect(found).toMatchObject([
    { chain: 'ethereum', endpoint: 'rpc_ethereum_1', host: new URL(own).host, chain_id: 1, head: 2, n_batch: 3 },
    { endpoint: 'rpc_ethereum_2', verdict: 'wrong chain', chain_id: 56 },
    { endpoint: 'rpc_ethereum_3', verdict: 'dead' },
  ])
  expect(output).not.toContain('secret')
})

test('fails where no endpoint is alive, and where there is nothing to probe', async () => {
  const dead = parseConfig({ RPC_ETHEREUM: 'http://127.0.0.1:9' })
  const { code, output } = await runCommand(chains, ['--probe', '--chain', 'ethereum'], dead)
  expect(code).toBe(1)
  expect(output).toMatch(/^ethereum +127\.0\.0\.1:9 +dead +/)
  await expect(runCommand(chains, ['--probe', '--chain', 'solana'], dead)).rejects.toThrow('not an EVM chain')
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'

import { serveChains } from '#sim/chains/serve_chains.ts'
import type { SimulatedChain } from '#sim/chains/simulated_chain.ts'
import { createRandom } from '#sim/random.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { tradesIn, trueTrades } from '#test/sources/evm/swaps/held.ts'

const chain: SimulatedChain = { slug: 'base', id: 8453, seed: 7, block_s: 2, start_s: 1_790_000_000 }
const head = 900

/** A simulated chain that stands still, and the number of requests to it. */
async function served() {
  let n_requests = 0
  const server = await serveChains([chain], () => {
    n_requests += 1
    return (chain.start_s + chain.block_s * head) * 1_000_000
  })
  onTestFinished(server.close)
  return { settings: server.settings, n_requests: () => n_requests }
}

/** Runs the command; kills it after so many requests. */
async function run(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  isEnough: () => boolean = () => false,
): Promise<{ code: number | null; text: string }> {
  const child = spawn(process.execPath, ['bin/tapeline.js', 'backfill', ...args], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  let [text, isDone] = ['', false]
  child.stderr.on('data', (chunk) => void (text += String(chunk)))
  child.stdout.on('data', (chunk) => void (text += String(chunk)))
  const ended = once(child, 'exit').finally(() => (isDone = true))
  await until(() => isDone || isEnough())
  if (!isDone) child.kill('SIGKILL')
  const [code] = (await ended) as [number | null]
  return { code, text }
}

test('a backfill of a chain that is killed at random moments has every trade once, and its tokens', async () => {
  const { settings, n_requests } = await served()
  const home = await newHome()
  const env = { ...process.env, ...settings, TAPELINE_HOME: home, TAPELINE_WORLD: 'seed-7' }
  const random = createRandom(17, 1)
  const args = ['evm_swaps', '--from', '2026-09-01']
  // The estimate has a line for the chain, from the head alone.
  const estimate = await run(env, [...args, '--dry-run'])
  expect(estimate).toMatchObject({ code: 0, text: expect.stringMatching(/^evm_swaps base +10 +500 +/m) })
  let n_killed = 0
  for (let n = 0; n < sized(2, 2, 8); n++) {
    const enough = n_requests() + 8 + random.below(60)
    if ((await run(env, args, () => n_requests() >= enough)).code === null) n_killed += 1
  }
  expect(n_killed).toBeGreaterThan(0)
  expect(await run(env, args)).toMatchObject({ code: 0 })
  expect(await run(env, ['evm_tokens', '--from', '2026-09-01'])).toMatchObject({ code: 0 })
  const lake = await newLake({ home })
  expect(await tradesIn(lake)).toEqual(trueTrades(chain, head))
  const states = await lake.read(({ query }) =>
    query(
      `select state, count(*)::integer as n, (select count(*)::integer from lake.tokens) as n_tokens
       from lake.coverage where dataset = 'swaps' group by state order by state`,
      z.object({ state: z.string(), n: z.number(), n_tokens: z.number() }),
    ),
  )
  expect(states).toEqual([
    { state: 'done', n: 8, n_tokens: 5 },
    { state: 'head', n: 2, n_tokens: 5 },
  ])
})

test('without a chain to read, the source is refused with the settings that choose one', async () => {
  const env = { ...process.env, RPC_BASE: undefined }
  const { code, text } = await run({ ...env, TAPELINE_HOME: await newHome() }, ['evm_swaps', '--from', '2026-09-01'])
  expect(code).toBe(2)
  expect(text).toContain('evm_swaps: no chain is read; expected chains in TAPELINE_CHAINS or RPC_<CHAIN>')
})

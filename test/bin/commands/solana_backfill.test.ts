import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

import { serveChains, type OtherNode } from '#sim/chains/serve_chains.ts'
import { createRandom } from '#sim/random.ts'
import { unconfirmed } from '#sim/solana/node.ts'
import { solanaNode } from '#sim/solana/served_node.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { heldIn } from '#test/sources/evm/swaps/held.ts'

const n_slots = sized(420, 420, 1_220)
const plan = { seed: 9, n_slots, start_s: 1_790_000_000, slot_s: 10, isLarge: true }
const now_s = plan.start_s + plan.slot_s * n_slots
const sources = ['solana_blocks', 'solana_accounts']

const errors: readonly (readonly [number, string])[] = [
  [-32_004, 'Block not available for slot 7'],
  [-32_005, 'Node is behind by 42 slots'],
  [-32_014, 'Block status not yet available for slot 7'],
  [-32_016, 'Minimum context slot has not been reached'],
  [-32_009, 'Slot 7 was skipped, or missing in long-term storage'],
]

/** Two nodes of one chain, of which a share of the answers are errors, and the number of requests to them. */
async function served() {
  const node = solanaNode(plan)
  const random = createRandom(9, 3)
  const state = { n_requests: 0, share: 0 }
  const nodeOf = (slug: string): OtherNode => ({
    slug,
    answer: (body, at_s) => {
      state.n_requests += 1
      if (!random.chance(state.share)) return node.answer(body, at_s)
      const [code, message] = random.pick(errors)
      return JSON.stringify({ jsonrpc: '2.0', id: 0, error: { code, message } })
    },
  })
  const server = await serveChains([], () => now_s * 1_000_000, [nodeOf('one'), nodeOf('two')])
  onTestFinished(server.close)
  const wallets = node.world.wallets.slice(0, 3).join()
  return { state, settings: { RPC_SOLANA: Object.values(server.settings).join(), TAPELINE_SOLANA_ACCOUNTS: wallets } }
}

/** Runs the command; kills it after so many requests. */
async function run(env: NodeJS.ProcessEnv, isEnough: () => boolean = () => false): Promise<number | null> {
  const args = ['bin/tapeline.js', 'backfill', ...sources, '--from', '2026-09-01']
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let isDone = false
  const ended = once(child, 'exit').finally(() => (isDone = true))
  await until(() => isDone || isEnough())
  if (!isDone) child.kill('SIGKILL')
  const [code] = (await ended) as [number | null]
  return code
}

test('a backfill of Solana that is killed at random moments, at nodes that fail, has the rows of one that was not', async () => {
  const { state, settings } = await served()
  const envOf = (home: string) => ({ ...process.env, ...settings, TAPELINE_HOME: home, TAPELINE_WORLD: 'seed-9' })
  const [whole, killed] = [await newHome(), await newHome()]
  expect(await run(envOf(whole))).toBe(0)
  const n_whole = state.n_requests
  const random = createRandom(17, 1)
  state.share = 0.03
  let n_killed = 0
  for (let n = 0; n < sized(1, 1, 3); n++) {
    const enough = state.n_requests + 5 + random.below(Math.floor(n_whole / 3))
    if ((await run(envOf(killed), () => state.n_requests >= enough)) === null) n_killed += 1
  }
  expect(n_killed).toBeGreaterThan(0)
  // A unit whose nodes all failed is missing, and is read by the next run.
  state.share = 0
  expect(await run(envOf(killed))).toBe(0)
  const [truth, held] = await Promise.all([whole, killed].map(async (home) => heldIn(await newLake({ home }))))
  expect(truth?.['transactions']?.length).toBeGreaterThan(n_slots - unconfirmed)
  expect(held).toEqual(truth)
})

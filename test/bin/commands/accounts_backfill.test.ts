import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

import { serveChains, type OtherNode } from '#sim/chains/serve_chains.ts'
import { createRandom } from '#sim/random.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'
import { until } from '#test/run/eventually.ts'
import { sized } from '#test/run/sized.ts'
import { addressOf, sparseNode, timeOf } from '#test/sources/evm/accounts/sparse_chain.ts'
import { chainOf, trades } from '#test/sources/evm/accounts/trades.ts'
import { heldIn } from '#test/sources/evm/swaps/held.ts'

const wallet = addressOf('wallet', 1)
const n_blocks = 15_000_000
const mine = trades(wallet, 400, [600_000, n_blocks - 100])

/** Two nodes of one chain, and the number of requests to them. */
async function served() {
  const answer = sparseNode(chainOf(mine, { n_blocks }))
  let n_requests = 0
  const nodeOf = (slug: string): OtherNode => ({
    slug,
    answer: (body) => {
      n_requests += 1
      return answer(JSON.stringify(body))
    },
  })
  const server = await serveChains([], () => timeOf(n_blocks) * 1_000_000, [nodeOf('one'), nodeOf('two')])
  onTestFinished(server.close)
  return { n_requests: () => n_requests, settings: { RPC_BASE: Object.values(server.settings).join() } }
}

/** Runs the command; kills it once there were enough requests. Returns its exit code, null if it was killed. */
async function run(env: NodeJS.ProcessEnv, isEnough: () => boolean = () => false): Promise<number | null> {
  const args = ['bin/tapeline.js', 'backfill', 'evm_accounts', '--part', wallet, '--from', '2020-01-01']
  const child = spawn(process.execPath, args, { env, stdio: 'ignore' })
  onTestFinished(() => void child.kill('SIGKILL'))
  let isDone = false
  const ended = once(child, 'exit').finally(() => (isDone = true))
  await until(() => isDone || isEnough())
  if (!isDone) child.kill('SIGKILL')
  const [code] = (await ended) as [number | null]
  return code
}

test('an account whose reading is killed at random moments has the rows of one whose reading was not', async () => {
  const { n_requests, settings } = await served()
  const envOf = (home: string) => ({ ...process.env, ...settings, TAPELINE_HOME: home, TAPELINE_WORLD: 'seed-9' })
  const [whole, killed] = [await newHome(), await newHome()]
  expect(await run(envOf(whole))).toBe(0)
  const n_whole = n_requests()
  const random = createRandom(23, 1)
  let n_killed = 0
  for (let n = 0; n < sized(2, 2, 6); n++) {
    // Many stretches are read at once, so that the first ones end late.
    const share = n === 0 ? 0.75 : random.next() / 2
    const enough = n_requests() + 10 + Math.floor(n_whole * share)
    if ((await run(envOf(killed), () => n_requests() >= enough)) === null) n_killed += 1
  }
  expect(n_killed).toBeGreaterThan(0)
  const before = n_requests()
  expect(await run(envOf(killed))).toBe(0)
  // What was stored is not read again.
  expect(n_requests() - before).toBeLessThan(n_whole)
  const [truth, held] = await Promise.all([whole, killed].map(async (home) => heldIn(await newLake({ home }))))
  expect(truth?.['transactions']).toHaveLength(mine.length)
  expect(held).toEqual(truth)
})

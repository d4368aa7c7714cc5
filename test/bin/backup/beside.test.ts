import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, onTestFinished, test } from 'vitest'

import { currentSnapshot } from '#snapshots/snapshot.ts'
import { runMain } from '#test/bin/run_main.ts'
import { newHome, newLake } from '#test/lake/fixture.ts'
import { eventually } from '#test/run/eventually.ts'

import { bidsOf, keys, newStoredHome, replace } from './fixture.ts'

const run = promisify(execFile)
const envOf = (home: string) => ({ TAPELINE_HOME: home, TAPELINE_THREADS: '1', TAPELINE_MEMORY: '512MB' })

/** Runs an endless command until the end of the test. */
function begin(home: string, ...args: string[]) {
  const child = spawn(process.execPath, ['bin/tapeline.js', ...args], {
    env: { ...process.env, ...envOf(home) },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(child, 'exit')
  const end = async (): Promise<void> => {
    child.kill('SIGTERM')
    await ended
  }
  onTestFinished(end)
  return { child, end }
}

/** Serves a home; returns its address. */
async function serve(home: string): Promise<string> {
  const [line] = (await once(begin(home, 'serve', '--port', '0').child.stdout, 'data')) as [Buffer]
  return /^serving (\S+)\/v1$/m.exec(line.toString())?.[1] ?? ''
}

/** The state of a service that is ready. */
const readyOf = (url: string): Promise<unknown> =>
  eventually(async () => {
    const response = await fetch(`${url}/readyz`)
    expect(response.status).toBe(200)
    return response.json()
  })

test('a backup during publications, beside a service, restores to a home as of one instant', async () => {
  const { home, lake, apiKey } = await newStoredHome()
  const publish = begin(home, 'publish', '--scores-every', '1')
  await readyOf(await serve(home))
  // Each round gives all units the same price, one after the other.
  let isChanging = true
  const change = async (price: bigint): Promise<void> => {
    for (const key of keys) await replace(lake, key, price)
  }
  await change(10n)
  const changing = (async () => {
    for (let price = 11n; isChanging; price += 1n) await change(price)
  })()
  const pulse = (): Promise<string | undefined> => currentSnapshot(lake.local, 'pulse')
  const folder = await eventually(async () => {
    const [target, before] = [join(await newHome(), 'b'), await pulse()]
    await run(process.execPath, ['bin/tapeline.js', 'backup', target], { env: { ...process.env, ...envOf(home) } })
    // Another one follows where no publication came meanwhile.
    expect(await pulse()).not.toBe(before)
    return target
  }).finally(() => {
    isChanging = false
  })
  await changing
  await publish.end()

  const restored = await newHome()
  expect((await runMain(['restore', folder], envOf(restored))).code).toBe(0)
  expect((await runMain(['verify'], envOf(restored))).out).toBe(`${keys.length} files verified, 0 faults\n`)
  // The first units have the price of the round, and the others that of the one before.
  const bids = Object.values(await bidsOf(await newLake({ home: restored }))).map((bid) => Math.round(bid * 1e6))
  expect(bids).toHaveLength(keys.length)
  expect(bids).toEqual(bids.toSorted((a, b) => b - a))
  expect((bids[0] ?? 0) - (bids.at(-1) ?? 0)).toBeLessThanOrEqual(1)
  expect(bids[0]).toBeGreaterThanOrEqual(10)

  const url = await serve(restored)
  expect(await readyOf(url)).toMatchObject({ status: 'ready', fault: null })
  const account = await fetch(`${url}/v1/account`, { headers: { authorization: `Bearer ${apiKey}` } })
  expect([account.status, await account.json()]).toMatchObject([200, { tier: 'pro' }])
})

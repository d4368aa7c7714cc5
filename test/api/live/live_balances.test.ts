import fc from 'fast-check'
import { expect, test } from 'vitest'

import type { Balances, ReadBalances } from '#api/live/balances.ts'
import { openLiveBalances, type Live } from '#api/live/live_balances.ts'
import { findChain } from '#registry/chains/find_chain.ts'

const base = findChain('base')
const polygon = findChain('polygon')
const wallet = (i: number) => `0x${String(i).padStart(40, '0')}`
const balancesOf = (raw: bigint): Balances => ({
  held: [{ token: 'native', raw, decimals: 18, symbol: 'ETH' }],
  unread: [],
})

/** A reader whose node answers when the test says so. */
function opened({ wait_ms = 600_000 } = {}) {
  const clock = { at: 0 }
  const asked: { of: Parameters<ReadBalances>[0]; answer: (balances: Balances) => void; fail: () => void }[] = []
  const errors: unknown[] = []
  const read: ReadBalances = (of) =>
    new Promise((answer, reject) => asked.push({ of, answer, fail: () => reject(new Error('the node is down')) }))
  const live = openLiveBalances({ read, now: () => clock.at, wait_ms, onError: (error) => void errors.push(error) })
  const ask = (chain = base, i = 0) => live({ chain, wallet: wallet(i), tokens: ['native'] })
  return { clock, asked, errors, ask, pass: (s: number) => void (clock.at += s * 1_000_000) }
}

test('equal reads at one moment are one, and other wallets and chains are others', async () => {
  const { ask, asked } = opened()
  const all = [ask(), ask(), ask(base, 1), ask(polygon), ask()]
  expect(asked.map(({ of }) => [of.chain.slug, of.wallet])).toEqual([
    ['base', wallet(0)],
    ['base', wallet(1)],
    ['polygon', wallet(0)],
  ])
  for (const [i, { answer }] of asked.entries()) answer(balancesOf(BigInt(i)))
  const raws = (await Promise.all(all)).map((live) => live.is === 'live' && live.balances.held[0]?.raw)
  expect(raws).toEqual([0n, 0n, 1n, 2n, 0n])
})

test('balances are kept for thirty seconds', async () => {
  const { ask, asked, pass } = opened()
  const first = ask()
  asked[0]?.answer(balancesOf(1n))
  await first
  pass(29)
  expect(await ask()).toMatchObject({ is: 'live', balances: { held: [{ raw: 1n }] } })
  expect(asked).toHaveLength(1)
  pass(1)
  const second = ask()
  asked[1]?.answer(balancesOf(2n))
  expect(await second).toMatchObject({ is: 'live', balances: { held: [{ raw: 2n }] } })
})

test('what is kept, and the rest of a chain, end in time also after the clock is set back', async () => {
  const { ask, asked, pass } = opened()
  pass(7_200)
  const first = ask()
  asked[0]?.answer(balancesOf(1n))
  await first
  const other = ask(polygon)
  asked[1]?.fail()
  await other
  pass(-3_600)
  const [second, third] = [ask(), ask(polygon)]
  asked[2]?.answer(balancesOf(2n))
  asked[3]?.answer(balancesOf(3n))
  expect(await second).toMatchObject({ balances: { held: [{ raw: 2n }] } })
  expect(await third).toMatchObject({ balances: { held: [{ raw: 3n }] } })
})

test('a node that hangs delays no answer beyond its time; its late answer serves the next one', async () => {
  const { ask, asked } = opened({ wait_ms: 1 })
  expect(await ask()).toEqual({ is: 'missing', reason: 'no node answered within 0.001 s' })
  expect(await ask()).toMatchObject({ is: 'missing' })
  expect(asked).toHaveLength(1)
  asked[0]?.answer(balancesOf(5n))
  await new Promise((go) => setImmediate(go))
  expect(await ask()).toMatchObject({ is: 'live', balances: { held: [{ raw: 5n }] } })
})

test('a chain that did not answer is left alone for ten seconds, and other chains are read', async () => {
  const { ask, asked, pass, errors } = opened()
  const first = ask()
  asked[0]?.fail()
  expect(await first).toEqual({ is: 'missing', reason: 'no node of base answered' })
  expect(errors).toMatchObject([{ message: 'the node is down' }])
  expect(await ask(base, 1)).toEqual({ is: 'missing', reason: 'no node of base answered' })
  expect(asked).toHaveLength(1)
  const other = ask(polygon)
  asked[1]?.answer(balancesOf(1n))
  expect(await other).toMatchObject({ is: 'live' })
  pass(10)
  const again = ask(base, 1)
  asked[2]?.answer(balancesOf(2n))
  expect(await again).toMatchObject({ is: 'live' })
})

test('a chain has twelve reads at once, and all chains have 48', async () => {
  const { ask, asked } = opened()
  const chains = ['ethereum', 'base', 'polygon', 'arbitrum', 'optimism'].map(findChain)
  const all = chains.flatMap((chain) => Array.from({ length: 20 }, (_, i) => ask(chain, i)))
  const counts = chains.map(({ slug }) => asked.filter(({ of }) => of.chain.slug === slug).length)
  expect(counts).toEqual([12, 12, 12, 12, 0])
  for (const { answer } of asked) answer(balancesOf(1n))
  const missing = (await Promise.all(all)).filter((live) => live.is === 'missing')
  expect(missing).toHaveLength(100 - 48)
  expect(missing[0]).toEqual({ is: 'missing', reason: 'too many wallets of ethereum are read' })
  const next = ask(findChain('optimism'), 99)
  asked[48]?.answer(balancesOf(1n))
  expect(await next).toMatchObject({ is: 'live' })
})

test('whatever the order of answers and failures: every question is answered, with balances of its own wallet', async () => {
  const steps = fc.array(
    fc.record({ chain: fc.constantFrom(base, polygon), i: fc.nat(3), ends: fc.boolean(), s: fc.nat(40) }),
  )
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      const { ask, asked, pass } = opened()
      const answers: { raw: bigint; live: Promise<Live> }[] = []
      const rawOf = (slug: string, of: string) => BigInt(of) * 10n + BigInt(slug.length)
      for (const { chain, i, ends, s } of all) {
        answers.push({ raw: rawOf(chain.slug, wallet(i)), live: ask(chain, i) })
        const { of, answer, fail } = asked.at(-1) ?? {}
        if (ends) answer?.(balancesOf(rawOf(of?.chain.slug ?? '', of?.wallet ?? '')))
        else if (s % 2 === 0) fail?.()
        pass(s)
        await new Promise((go) => setImmediate(go))
      }
      for (const { fail } of asked) fail()
      for (const { raw, live } of answers) {
        const found = await live
        if (found.is === 'live') expect(found.balances.held[0]?.raw).toBe(raw)
        else expect(found.reason).toMatch(/answered$|are read$/)
      }
    }),
    { numRuns: 60 },
  )
})

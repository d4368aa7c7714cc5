import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { mainnet } from '#sim/solana/names.ts'
import { newLake } from '#test/lake/fixture.ts'
import { sized } from '#test/run/sized.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { solanaHouse, type SolanaHouse } from './solana_house.ts'

const source = 'solana_accounts'
const n_slots = 110
const small = () => solanaHouse({ n_slots })
const run = (house: SolanaHouse, lake: Lake, keys: readonly string[]) =>
  runBackfill(house, house.activities(lake), { source, keys })

/** The transactions of the chain that name an address, in their order. */
const naming = ({ world }: SolanaHouse, addresses: ReadonlySet<string>): string[] =>
  [...world.blocks.values()].flatMap(({ transactions }) =>
    transactions.flatMap(({ made, signature }) =>
      [...(made?.lamports.keys() ?? [])].some((key) => addresses.has(key)) ? [signature] : [],
    ),
  )

/** A wallet with its token accounts, those that it closed among them. */
const addressesOf = ({ world }: SolanaHouse, wallet: string): Set<string> => {
  const accounts = [...world.blocks.values()].flatMap(({ transactions }) =>
    transactions.flatMap(({ made }) => [...(made?.tokens.values() ?? [])].map(({ account }) => account)),
  )
  return new Set([wallet, ...accounts.filter(({ owner }) => owner === wallet).map(({ address }) => address)])
}

const rowShape = z.record(z.string(), z.unknown())
const textOf = (rows: readonly unknown[]): string[] =>
  rows.map((row) => JSON.stringify(row, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)))

/** The rows of an account without what depends on the source: its name, and the position in the block. */
const factsIn = (lake: Lake, dataset: string, from: string) =>
  lake.read(async ({ query }) =>
    textOf(
      await query(
        `select distinct * exclude (source) ${dataset === 'tokens' ? '' : 'replace (0 as tx_index)'}
         from lake.${dataset} where source = '${from}' order by all`,
        rowShape,
      ),
    ),
  )

const coverageOf = (lake: Lake, wallet: string) =>
  lake.read(({ query }) =>
    query(
      `select state, reason, proof from lake.coverage where key = $wallet and dataset = 'transactions'`,
      z.object({ state: z.string(), reason: z.string().nullable(), proof: z.string().nullable() }),
      { wallet },
    ),
  )

const signaturesIn = (lake: Lake) =>
  lake.read(async ({ query }) =>
    (
      await query(
        `select tx from lake.transactions where source = '${source}' order by block, tx_index`,
        z.object({ tx: z.string() }),
      )
    ).map(({ tx }) => tx),
  )

test('a wallet has each of its transactions once and in order, also those that name a token account alone', async () => {
  const house = small()
  const lake = await newLake()
  // A payment in tokens names the token account of its recipient alone.
  const { wallet = '' } = house.world.ledger.transfers.findLast(({ direction }) => direction === 'in') ?? {}
  expect(await run(house, lake, [wallet])).toMatchObject({ units: 1, failed: 0, quarantined: 0 })
  const truth = naming(house, addressesOf(house, wallet))
  expect(truth.length).toBeGreaterThan(naming(house, new Set([wallet])).length)
  expect(await signaturesIn(lake)).toEqual(truth)
  expect(await coverageOf(lake, wallet)).toEqual([
    { state: 'head', reason: null, proof: expect.stringMatching(/^\d+ transactions of \d+ addresses; each finds/) },
  ])
})

test('the rows of a transaction are those that its block gives', async () => {
  const house = small()
  const lake = await newLake()
  await runBackfill(house, house.activities(lake), { source: 'solana_blocks' })
  await run(house, lake, house.world.wallets.slice(0, 6))
  for (const dataset of ['transactions', 'swaps', 'transfers']) {
    const [ofBlocks, ofAccounts] = [await factsIn(lake, dataset, 'solana_blocks'), await factsIn(lake, dataset, source)]
    const inBlocks = new Set(ofBlocks)
    const final = ofAccounts.filter((row) => Number(/"block":"?(\d+)/.exec(row)?.[1]) < 100)
    expect(final.length).toBeGreaterThan(40)
    expect(final.filter((row) => !inBlocks.has(row))).toEqual([])
  }
})

test('a later reading has the same rows as a whole one, and asks for newer transactions alone', async () => {
  const wallets = (house: SolanaHouse) => house.world.wallets.slice(0, sized(3, 5, 12))
  const whole = small()
  const truth = await newLake()
  await run(whole, truth, wallets(whole))
  const house = small()
  const lake = await newLake()
  for (const head of [70, 71, 120]) {
    house.setHead(head)
    expect(await run(house, lake, wallets(house))).toMatchObject({ failed: 0, quarantined: 0 })
  }
  house.setHead(2 * n_slots)
  const asked = house.n_requests()
  await run(house, lake, wallets(house))
  expect(house.n_requests() - asked).toBeLessThan(whole.n_requests())
  for (const dataset of ['transactions', 'swaps', 'transfers', 'tokens'])
    expect(await factsIn(lake, dataset, source)).toEqual(await factsIn(truth, dataset, source))
  expect(await reparse(lake, house.sources.accounts, () => undefined)).toMatchObject({ quarantined: 0, failed: [] })
  for (const dataset of ['transactions', 'swaps', 'transfers', 'tokens'])
    expect(await factsIn(lake, dataset, source)).toEqual(await factsIn(truth, dataset, source))
})

test('a program has all transactions that name it', async () => {
  const house = small()
  const lake = await newLake()
  expect(await run(house, lake, [mainnet.whirlpool])).toMatchObject({ units: 1, failed: 0, quarantined: 0 })
  expect(await signaturesIn(lake)).toEqual(naming(house, new Set([mainnet.whirlpool])))
})

test('a node that leaves out a transaction leaves the account unverified, with the reason', async () => {
  const house = small()
  const lake = await newLake()
  const [wallet = ''] = house.world.wallets
  const lost = naming(house, new Set([wallet]))[3] ?? ''
  house.forget(lost)
  await run(house, lake, [wallet])
  const [entry] = await coverageOf(lake, wallet)
  expect(entry).toMatchObject({
    state: 'unverified',
    reason: expect.stringMatching(/^transaction \w+ finds \d+ lamports/),
  })
})

test('faults and repeated signatures change nothing', async () => {
  const clean = await newLake()
  const house = small()
  const keys = house.world.wallets.slice(0, sized(2, 3, 6))
  await run(house, clean, keys)
  const truth = await signaturesIn(clean)
  for (let n = 0; n < sized(1, 2, 4); n++) {
    const faulty = small()
    const lake = await newLake()
    faulty.setFaults(0.04 + 0.02 * n)
    await run(faulty, lake, keys)
    faulty.setFaults(0)
    expect(await run(faulty, lake, keys)).toMatchObject({ failed: 0, quarantined: 0 })
    expect(await signaturesIn(lake)).toEqual(truth)
  }
})

test('an address that does not exist has no transaction, and an address of another chain is not read', async () => {
  const house = small()
  const lake = await newLake()
  expect(await run(house, lake, ['0x2d94Cb380f4C2cbf5eaD9cAF2773FbA3ebfB6d8B'])).toMatchObject({ units: 0 })
  const nobody = 'GDDMwNyyx8uB6zrqwBFHjLLG3TBYk2F8Az4yrQC5RzMp'
  expect(await run(house, lake, [nobody])).toMatchObject({ units: 1, failed: 0 })
  expect(await coverageOf(lake, nobody)).toMatchObject([{ state: 'head', reason: null }])
  expect(await signaturesIn(lake)).toEqual([])
})

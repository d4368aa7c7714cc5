import { expect, test } from 'vitest'
import { z } from 'zod'

import { reparse } from '#ingest/reparse.ts'
import type { Lake } from '#lake/lake.ts'
import { metadataAddressOf, metadataOf } from '#sim/solana/metadata.ts'
import { mainnet, nameOf } from '#sim/solana/names.ts'
import { metadataAddress, readMetadata } from '#sources/solana/mints/metadata.ts'
import { newLake } from '#test/lake/fixture.ts'
import { runBackfill } from '#test/sources/evm/swaps/runs.ts'

import { solanaHouse } from './solana_house.ts'

const tokensIn = (lake: Lake) =>
  lake.read(({ query }) =>
    query(
      `select token, name, symbol, decimals, standard from lake.tokens where source = 'solana_tokens' order by token`,
      z.object({
        token: z.string(),
        name: z.string().nullable(),
        symbol: z.string().nullable(),
        decimals: z.number(),
        standard: z.string(),
      }),
    ),
  )

test('each traded token has the words and decimals of its mint, and is read once', async () => {
  const house = solanaHouse({ n_slots: 110 })
  const lake = await newLake()
  const activities = house.activities(lake)
  await runBackfill(house, activities, { source: 'solana_blocks' })
  expect(await runBackfill(house, activities, { source: 'solana_tokens' })).toMatchObject({ units: 1, quarantined: 0 })
  const truth = house.world.tokens
    .filter(({ mint }) => mint !== mainnet.wrapped)
    .map(({ mint, name, symbol, decimals, program }) => ({
      token: mint,
      name,
      symbol,
      decimals,
      standard: program === mainnet.token ? 'spl' : 'spl_2022',
    }))
  // The dollar has no mint in this world, as a closed one: its transactions show the decimals.
  const dollar = { token: mainnet.dollar, name: null, symbol: null, decimals: 6, standard: 'spl' }
  const all = [dollar, ...truth].toSorted((a, b) => (a.token < b.token ? -1 : 1))
  expect(await tokensIn(lake)).toEqual(all)
  house.wait(60)
  expect(await runBackfill(house, activities, { source: 'solana_tokens' })).toMatchObject({ units: 0 })
  expect(await reparse(lake, house.sources.tokens, () => undefined)).toMatchObject({ units: 1, failed: [] })
  expect(await tokensIn(lake)).toEqual(all)
})

test('the address of a name follows from the mint, as the real chain has it', async () => {
  expect(await metadataAddress(mainnet.dollar)).toBe('5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq')
  for (const n of Array(20).keys())
    expect(await metadataAddress(nameOf('mint', n))).toBe(metadataAddressOf(nameOf('mint', n)))
})

test('data of another mint, of another format and cut-off data have no words', () => {
  const [mint, other] = [nameOf('mint', 1), nameOf('mint', 2)]
  const data = Buffer.from(metadataOf({ mint, name: 'A\u0007 token', symbol: '$UP' }), 'base64')
  expect(readMetadata(data, mint)).toEqual({ name: 'A token', symbol: '$UP' })
  expect(readMetadata(data, other)).toBeNull()
  expect(readMetadata(Buffer.concat([Uint8Array.of(1), data.subarray(1)]), mint)).toBeNull()
  for (let length = 0; length < 65 + 4 + 32 + 4 + 10; length++)
    expect(readMetadata(data.subarray(0, length), mint)).toBeNull()
  // A length that reaches beyond the data.
  data.writeUInt32LE(2 ** 31, 65)
  expect(readMetadata(data, mint)).toBeNull()
})

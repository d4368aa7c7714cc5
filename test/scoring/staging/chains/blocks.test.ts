import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { build, swap, transaction, transfer } from '#test/scoring/core/chains/lake.ts'
import type { Rows } from '#test/scoring/core/wallets/tables.ts'

/** Coverage of a range of blocks. */
const covered = (dataset: string, from_block: number, to_block: number, more: Rows[string][number] = {}) => ({
  dataset,
  unit: `other/base/${from_block}`,
  part: 'base',
  precedence: 1,
  state: 'done',
  from_block,
  to_block,
  source: 'other',
  ...more,
})
const ofOther = { source: 'other' }

describe('block_intervals', () => {
  test('are the touching units of a source, and end where rows were cut off or the next unit is missing', async () => {
    const { 'staging.block_intervals': rows } = await build(['staging.block_intervals'], {
      'lake.coverage': [
        covered('swaps', 0, 32),
        covered('swaps', 32, 64),
        covered('swaps', 64, 96, { state: 'unverified' }),
        covered('swaps', 96, 128, { state: 'missing' }),
        covered('swaps', 128, 140, { state: 'head', precedence: 2 }),
      ],
    })
    const shown = rows
      .filter(({ dataset }) => dataset === 'swaps')
      .map(({ source, from_block, to_block, preference, is_proved }) =>
        [source, from_block, to_block, preference, is_proved].join(' '),
      )
    expect(shown).toEqual(['evm 0 1000000 2 true', 'other 0 64 1 true', 'other 64 96 1 false', 'other 128 140 1 true'])
  })
})

describe('counting_blocks', () => {
  test('divide blocks where a source with a higher precedence begins or ends, and have no block of a gap', async () => {
    const { 'staging.counting_blocks': rows } = await build(['staging.counting_blocks'], {
      'lake.coverage': [
        covered('swaps', 10, 20, { precedence: 2 }),
        covered('swaps', 15, 30, { precedence: 2, state: 'unverified' }),
        covered('swaps', 999_990, 1_000_010, { precedence: 2 }),
        covered('swaps', 1_000_020, 1_000_030, { precedence: 2 }),
      ],
    })
    const shown = rows
      .filter(({ dataset }) => dataset === 'swaps')
      .map(({ from_block, to_block, source }) => [from_block, to_block, source].join(' '))
    const sourceOf = (block: number) =>
      shown
        .map((one) => one.split(' '))
        .filter(([from, to]) => Number(from) <= block && block < Number(to))
        .map(([, , source]) => source)
    const blocks = [
      0, 9, 10, 14, 19, 20, 29, 30, 999_989, 999_990, 1_000_009, 1_000_010, 1_000_019, 1_000_020, 1_000_030,
    ]
    expect(blocks.map((block) => sourceOf(block).join())).toEqual(
      'evm evm other other other other other evm evm other other   other '.split(' '),
    )
  })
})

describe('a row of a block', () => {
  test('counts within the coverage of its source, once, from the source with the highest precedence there', async () => {
    const found = await build(
      ['staging.transactions', 'staging.swaps', 'staging.transfers', 'staging.user_operations'],
      {
        'lake.coverage': ['transactions', 'swaps', 'transfers', 'user_operations'].map((dataset) =>
          covered(dataset, 10, 20, { precedence: 2 }),
        ),
        'lake.transactions': [
          // Both sources have block 9, in which only one is covered, and block 10, in which the other one counts.
          transaction('ann', { block: 9 }),
          transaction('bob', { block: 9, tx: '0xold' }, ofOther),
          transaction('ann', { block: 10, tx: '0xfork' }),
          transaction('ann', { block: 10 }, ofOther),
          transaction('ann', { block: 1_000_000 }),
        ],
        'lake.swaps': [
          swap('p', ['a', 1n], ['b', 1n], { block: 10 }),
          { ...swap('q', ['a', 1n], ['b', 1n], { block: 10 }), ...ofOther },
        ],
        'lake.transfers': [
          transfer('a', ['x', 'y'], 1n, { block: 9, log_index: 3 }),
          transfer('a', ['x', 'y'], 1n, { block: 9, log_index: 3 }),
          transfer('a', ['x', 'y'], 1n, { block: 9, log_index: 4, ts: '2026-11-20 12:00:01' }),
        ],
        'lake.user_operations': [
          { chain: 'base', block: 10, tx: '0x10', ts: '2026-11-20', sender: 'safe', source: 'evm' },
          { chain: 'optimism', block: 10, tx: '0x10', ts: '2026-11-20', sender: 'safe', source: 'evm' },
        ],
      },
    )
    expect(
      found['staging.transactions'].map(({ block, tx, source }) => `${String(block)} ${String(tx)} ${String(source)}`),
    ).toEqual(['9 0x9 evm', '10 0x10 other'])
    expect(found['staging.swaps'].map(({ pool }) => pool)).toEqual(['q'])
    expect(found['staging.transfers']).toHaveLength(1)
    expect(found['staging.user_operations']).toEqual([])
  })

  test('counts once where a reorganization moved its transaction to a unit that is rewritten later or earlier', async () => {
    const datasets = ['transactions', 'swaps', 'transfers', 'user_operations']
    const operation = { chain: 'base', ts: '2026-11-20', sender: 'safe', source: 'other' }
    const soon = { ts: '2026-11-20 11:00:00' }
    const moved = { tx: '0xmoved', ...soon }
    const found = await build(
      ['staging.transactions', 'staging.swaps', 'staging.transfers', 'staging.user_operations'],
      {
        // The first unit is closed already, the second one still has the fork before.
        'lake.coverage': datasets.flatMap((dataset) => [
          covered(dataset, 1_000_000, 1_000_100),
          covered(dataset, 1_000_100, 1_000_150, { state: 'head' }),
        ]),
        'lake.transactions': [
          transaction('ann', { block: 1_000_099, ...moved }, ofOther),
          transaction('ann', { block: 1_000_100, ...moved }, ofOther),
          transaction('bob', { block: 1_000_100, ...soon }, ofOther),
        ],
        'lake.swaps': [1_000_099, 1_000_100].map((block) => ({
          ...swap('p', ['a', 1n], ['b', 1n], { block, log_index: block % 7, ...moved }),
          ...ofOther,
        })),
        'lake.transfers': [1_000_099, 1_000_100].flatMap((block) => [
          { ...transfer('a', ['x', 'y'], 1n, { block, log_index: 1, ...moved }), ...ofOther },
          { ...transfer('a', ['x', 'y'], 1n, { block, log_index: 1, ...soon }), ...ofOther },
        ]),
        'lake.user_operations': [1_000_099, 1_000_100].map((block) => ({ ...operation, block, ...moved })),
      },
    )
    const places = (table: keyof typeof found) => found[table].map(({ block, tx }) => `${String(block)} ${String(tx)}`)
    expect(places('staging.transactions')).toEqual(['1000099 0xmoved', '1000100 0x1000100'])
    expect(places('staging.swaps')).toEqual(['1000099 0xmoved'])
    expect(places('staging.transfers')).toEqual(['1000099 0x1000099', '1000099 0xmoved', '1000100 0x1000100'])
    expect(places('staging.user_operations')).toEqual(['1000099 0xmoved'])
  })

  test('is the same for units of any size, in any order, read twice or once', async () => {
    const tables = ['core.flows', 'core.trade_legs', 'core.prices', 'core.trades', 'core.transfers'] as const
    const n_blocks = 40
    const blocks = Array.from({ length: n_blocks }, (_, n) => n)
    const who = (n: number): string => ['ann', 'bob', 'cem', 'dia'][n % 4] ?? 'eve'
    const lake: Rows = {
      'lake.transactions': blocks.map((block) => transaction(who(block), { block })),
      'lake.swaps': blocks
        .filter((n) => n % 3 > 0)
        .map((block) => swap('p', ['usdc', 50_000_000n + BigInt(block)], ['a', 2n ** 100n], { block })),
      'lake.transfers': blocks.flatMap((block) => [
        transfer('usdc', [who(block), 'p'], 50_000_000n + BigInt(block), { block, log_index: 1 }),
        transfer('a', ['p', who(block + block)], 2n ** 100n, { block, log_index: 2 }),
      ]),
    }
    const unitsOf = (size: number): Rows => ({
      ...lake,
      'core.clock': [{ as_of: '2026-11-20 12:00:00' }],
      'lake.coverage': ['transactions', 'swaps', 'transfers', 'user_operations'].flatMap((dataset) =>
        Array.from({ length: Math.ceil(n_blocks / size) }, (_, n) =>
          covered(dataset, n * size, (n + 1) * size, { source: 'evm', unit: `evm/base/${n * size}` }),
        ),
      ),
    })
    const expected = await build(tables, unitsOf(n_blocks))
    expect(expected['core.trades'].length).toBeGreaterThan(5)
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 17 }), fc.infiniteStream(fc.nat()), async (size, chances) => {
        const given = unitsOf(size)
        const shuffled = Object.fromEntries(
          Object.entries(given).map(([table, rows]) => {
            const isFact = lake[table] !== undefined
            const twice = rows.flatMap((row) => (isFact && Number(chances.next().value) % 3 === 0 ? [row, row] : [row]))
            return [
              table,
              twice
                .map((row) => ({ row, key: Number(chances.next().value) }))
                .toSorted((x, y) => x.key - y.key)
                .map(({ row }) => row),
            ]
          }),
        )
        expect(await build(tables, shuffled)).toEqual(expected)
      }),
      { numRuns: 4, seed: 5 },
    )
  })
})

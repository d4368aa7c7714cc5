import fc from 'fast-check'

import type { Trade, Transfer, World } from './types.ts'

/**
 * Random worlds of few wallets and tokens, so that lots meet sales: amounts from dust to 2^256 - 1, odd millionths that
 * round to halves, missing values, round trips, carries between addresses of one owner, and events that share an
 * instant.
 */
export function worlds({ n_events = 30, isLong = false } = {}): fc.Arbitrary<World> {
  return fc
    .record({
      events: fc.array(fc.oneof({ weight: 3, arbitrary: trades }, { weight: 2, arbitrary: transfers }), {
        maxLength: n_events,
        minLength: isLong ? n_events : 0,
        size: 'max',
      }),
      owners: fc.constantFrom({}, { '0xa': '0xa', '0xb': '0xa' }, { '0xa': 'o', '0xb': 'o', '0xc': 'o' }),
    })
    .map(({ events, owners }) => ({
      trades: events.flatMap((event, index) => ('token_sold' in event ? [placed(event, index)] : [])),
      transfers: events.flatMap((event, index) => ('token_sold' in event ? [] : [placed(event, index)])),
      owners: new Map(Object.entries(owners)),
      kinds: new Map([['usdc', 'stable'] as const, ['native', 'native'] as const]),
    }))
}

type Unplaced<T> = Omit<T, 'block' | 'tx_index' | 'tx' | 'seq' | 'ts'>

/** Consecutive events share a transaction, a block or neither. `seq` is unique in a transaction. */
function placed<T>(
  event: T,
  index: number,
): T & { block: number; tx_index: number; tx: string; seq: number; ts: number } {
  const block = 1_000 + Math.floor(index / 7)
  const tx_index = Math.floor(index / 2) % 4
  const ts = 1_700_000_000_000_000 + block * 12_000_001
  return { ...event, block, tx_index, tx: `0x${block}-${tx_index}`, seq: index, ts }
}

const wallet = fc.constantFrom('0xa', '0xb', '0xc')
const chain = fc.constantFrom('ethereum', 'ethereum', 'base')
const token = fc.constantFrom('usdc', 'native', 'x', 'y')

/** Mostly small, so that quotients are halves; some beyond each border of a representation. */
const amount = fc.oneof(
  { weight: 6, arbitrary: fc.bigInt(0n, 12n) },
  { weight: 3, arbitrary: fc.bigInt(0n, 10n ** 24n) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(50n, 53n, 64n, 100n, 103n, 128n, 255n), fc.bigInt(-2n, 2n))
      .map(([bits, off]) => (1n << bits) + off),
  },
  { weight: 1, arbitrary: fc.constant((1n << 256n) - 1n) },
)
const value = fc.oneof(
  { weight: 4, arbitrary: fc.bigInt(0n, 15n) },
  { weight: 4, arbitrary: fc.bigInt(0n, 1_999_999_999_999_999n) },
  { weight: 1, arbitrary: fc.constant(null) },
)
const gas = fc.oneof(fc.constant(0n), fc.bigInt(0n, 7n), fc.bigInt(0n, 200_000_000n))

const trades: fc.Arbitrary<Unplaced<Trade>> = fc.record({
  wallet,
  chain,
  token_sold: token,
  amount_sold: amount,
  token_bought: token,
  amount_bought: amount,
  usd: value,
  gas,
})

const transfers: fc.Arbitrary<Unplaced<Transfer>> = fc.record({
  wallet,
  chain,
  token,
  direction: fc.constantFrom('in', 'out'),
  amount,
  counterparty: fc.constantFrom('0xa', '0xb', '0xc', '0xpool'),
  usd: value,
  basis: fc.constantFrom('market', 'carry', 'carry', 'unpriced'),
})

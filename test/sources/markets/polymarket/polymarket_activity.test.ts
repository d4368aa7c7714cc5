import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { datasets } from '#lake/datasets/index.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { polymarketActivity } from '#sources/markets/polymarket/polymarket_activity.ts'

import { fakeGet, readWith, store, temporaryLake, type Upstream } from './fake.ts'
import { condition, hex, inV1, ledgerBody, token, v2Page, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000
const unit: Unit = {
  source: 'polymarket_activity',
  kind: 'history',
  part: 'polymarket',
  key: wallet(1),
  from: 0,
  to: null,
  params: [],
}

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

type Body = Record<string, unknown>

const read = async (upstream: Upstream, until = at) => {
  const { get, asked } = fakeGet(upstream)
  const reading = await readWith(polymarketActivity, unit, { lake, get, at, until })
  return { ...reading, asked, fills: reading.rows.fills ?? [], activity: reading.rows.activity ?? [] }
}

const v2 =
  (rows: readonly Body[], size = 1000): Upstream =>
  (path, query) =>
    path === '/v2/activity' ? { body: v2Page(rows, query, size) } : { status: 404 }

const v1 =
  (rows: readonly Body[]): Upstream =>
  (path, query) => {
    const offset = Number(query.get('offset'))
    return path === '/activity' ? { body: rows.slice(offset, offset + 300).map(inV1) } : { status: 404 }
  }

describe('an account', () => {
  test('is read from its first day to the end, oldest first, with deposits', async () => {
    const rows = Array.from({ length: 5 }, (_, n) => ledgerBody('TRADE', { transaction_hash: hex(n + 1) }))
    const { asked, fills, state, proof } = await read(v2(rows, 3))
    const query = `exclude_deposits_withdrawals=false&limit=1000&sort_direction=ASC&start=1&user=${wallet(1)}`
    expect(asked).toEqual([`/v2/activity?${query}`, `/v2/activity?cursor=3&${query}`])
    expect([fills.length, state]).toEqual([5, 'complete'])
    expect(proof).toBe('v2, cursors followed to their end: 5 fills, 0 other rows')
  })

  test.each<[string, Body, bigint | null, bigint | null]>([
    ['a purchase, with its fee', { usdc_size: 12.16184 }, 11_876_800n, 285_040n],
    ['a sale, with its fee', { side: 'SELL', usdc_size: 11.59176 }, 11_876_800n, 285_040n],
    ['no fee', { usdc_size: 11.8768 }, 11_876_800n, 0n],
    ['rounding, which is no fee', { usdc_size: 11.876809 }, 11_876_809n, 0n],
    ['less than price times size', { usdc_size: 11.8 }, 11_800_000n, 0n],
    ['cash that is missing', { usdc_size: null }, 11_876_800n, null],
    ['cash of 0, which is missing too', { usdc_size: 0 }, 11_876_800n, null],
  ])('has fills with the cash that moved: %s', async (_, body, cash_usd, fee_usd) => {
    const { fills } = await read(v2([ledgerBody('TRADE', { size: 22.84, price: 0.52, ...body })]))
    expect(fills).toEqual([
      {
        venue: 'polymarket',
        token_id: token(1),
        ts: 1_790_000_000_000_000,
        tx: hex(1),
        trader: wallet(1),
        side: body['side'] === 'SELL' ? 'sell' : 'buy',
        price: 520_000n,
        size: 22_840_000n,
        seq: 0,
        market_id: `polymarket:${condition(1)}`,
        role: null,
        cash_usd,
        fee_usd,
      },
    ])
  })

  const market_id = `polymarket:${condition(1)}`
  test.each<[string, Body, Body]>([
    ['SPLIT', { size: 5, usdc_size: 5 }, { kind: 'split', market_id, size: 5_000_000n, cash_usd: 5_000_000n }],
    ['MERGE', { size: 5, usdc_size: 5 }, { kind: 'merge', market_id, size: 5_000_000n, cash_usd: 5_000_000n }],
    ['REDEEM', { size: 7, usdc_size: 7 }, { kind: 'redeem', market_id, size: null, cash_usd: 7_000_000n }],
    ['REDEEM', { size: 0, usdc_size: 0 }, { kind: 'redeem', market_id, size: null, cash_usd: 0n }],
    ['CONVERSION', { size: 3, usdc_size: 6 }, { kind: 'convert', market_id, size: 3_000_000n, cash_usd: 6_000_000n }],
    ['REWARD', { condition_id: '' }, { kind: 'reward', market_id: '', size: null, cash_usd: 5_000_000n }],
    ['REFERRAL_REWARD', { condition_id: '' }, { kind: 'reward', market_id: '' }],
    ['MAKER_REBATE', { condition_id: '' }, { kind: 'rebate', market_id: '' }],
    ['TAKER_REBATE', { condition_id: '' }, { kind: 'rebate', market_id: '' }],
    ['YIELD', { condition_id: '' }, { kind: 'yield', market_id: '' }],
    ['DEPOSIT', { condition_id: '', transaction_hash: '' }, { kind: 'deposit', market_id: '', tx: '' }],
    ['WITHDRAWAL', { condition_id: null, token_id: null }, { kind: 'withdrawal', market_id: '', token_id: '' }],
    ['MIGRATION', { size: 4 }, { kind: 'migration', size: 4_000_000n }],
    ['TIP', { side: 'OUT' }, { kind: 'tip', size: null }],
  ])('has %s %j', async (type, body, expected) => {
    const { activity, rejected } = await read(v2([ledgerBody(type, body)]))
    expect(rejected).toEqual([])
    expect(activity).toEqual([expect.objectContaining({ venue: 'polymarket', trader: wallet(1), seq: 0, ...expected })])
  })

  test('numbers equal rows, whatever their order', async () => {
    const rows = [1, 2, 1].map((usdc_size) => ledgerBody('REDEEM', { usdc_size }))
    const readBodies = async (bodies: Body[]) =>
      (await read(v2(bodies))).activity.map(({ seq, cash_usd }) => [seq, cash_usd])
    expect(await readBodies(rows)).toEqual([
      [0, 1_000_000n],
      [1, 1_000_000n],
      [2, 2_000_000n],
    ])
    expect(await readBodies(rows.toReversed())).toEqual(await readBodies(rows))
  })

  test('leaves what happened at or after `until` for the next read', async () => {
    const rows = ['TRADE', 'REDEEM'].flatMap((type) =>
      [1_790_000_000, 1_790_000_001].map((timestamp) => ledgerBody(type, { timestamp })),
    )
    const { fills, activity } = await read(v2(rows), 1_790_000_001_000_000)
    expect([fills.length, activity.length]).toEqual([1, 1])
  })

  test.each([
    ['an unknown type', 'AIRDROP', {}, 'activity', 'type: '],
    [
      'another account',
      'REDEEM',
      { proxy_wallet: wallet(2) },
      'activity',
      `proxy_wallet: expected a row of ${wallet(1)}`,
    ],
    ['a trade of another account', 'TRADE', { proxy_wallet: wallet(2) }, 'fills', 'proxy_wallet'],
    ['a trade without a market', 'TRADE', { condition_id: '' }, 'fills', 'condition_id: expected a condition id'],
  ])('%s is refused and stops nothing', async (_, type, body, dataset, reason) => {
    const bad = ledgerBody(type, body)
    const { rejected, fills } = await read(v2([bad, ledgerBody('TRADE', {})]))
    expect(fills).toHaveLength(1)
    expect(rejected).toEqual([{ dataset, path: '/v2/activity', reason: expect.stringContaining(reason), body: bad }])
  })

  test('keeps combos under their own id', async () => {
    const { fills } = await read(v2([ledgerBody('TRADE', { condition_id: hex(9, 62) })]))
    expect(fills[0]?.market_id).toBe(`polymarket:${hex(9, 62)}`)
  })
})

describe('an account that was read before', () => {
  const second = 1_000_000
  const [early, later] = [1_790_000_000, 1_790_010_000]
  const bodies = [
    ledgerBody('TRADE', { timestamp: early, usdc_size: 12 }),
    ledgerBody('REDEEM', { timestamp: early }),
    ledgerBody('REDEEM', { timestamp: early }),
    ledgerBody('TRADE', { timestamp: later }),
    ledgerBody('REDEEM', { timestamp: later }),
  ]
  const since = { ...unit, params: [String(early + 60)] }
  const again = async (of: Unit, upstream: Upstream) => {
    const { get, asked } = fakeGet(upstream)
    const reading = await readWith(polymarketActivity, of, { lake, get, at })
    return { ...reading, asked: asked.map((path) => new URLSearchParams(path.split('?')[1]).get('start')) }
  }
  const first = async (state: 'head' | 'unverified' = 'head', to = (early + 100) * second) => {
    const { rows } = await read(v2(bodies), (early + 100) * second)
    await store(lake, unit, rows, { at, to, state })
  }
  const from =
    (rows: readonly Body[]): Upstream =>
    (path, query) =>
      v2(rows.filter((row) => Number(row['timestamp']) >= Number(query.get('start'))))(path, query)

  /** All that rows say, in an order of their own. */
  const plain = (dataset: 'fills' | 'activity', rows: readonly Record<string, unknown>[] = []) => {
    const columns = Object.keys(datasets[dataset].columns).filter((column) => column !== 'source')
    return rows.map((row) => columns.map((column) => String(row[column])).join(' ')).toSorted()
  }

  test('is read from its last rows on, and its older rows are carried over with their numbers, as in a full reading', async () => {
    await first()
    const whole = await read(v2(bodies))
    const { rows, asked, state, proof } = await again(since, from(bodies))
    expect(asked).toEqual([String(early + 60)])
    expect(plain('fills', rows.fills)).toEqual(plain('fills', whole.rows.fills))
    expect(plain('activity', rows.activity)).toEqual(plain('activity', whole.rows.activity))
    expect([state, proof]).toEqual([whole.state, whole.proof])
  })

  test('is read whole if the stored rows do not reach that far, or are missing', async () => {
    expect((await again(since, from(bodies))).asked).toEqual(['1'])
    await first('head', (early + 59) * second)
    expect((await again(since, from(bodies))).asked).toEqual(['1'])
    await first()
    expect((await again(unit, from(bodies))).asked).toEqual(['1'])
  })

  test('is read whole by v1 if v2 disappears', async () => {
    await first()
    const { rows } = await again(since, v1(bodies))
    expect([rows.fills?.length, rows.activity?.length]).toEqual([2, 3])
  })
})

describe('an account by v1, where v2 is absent', () => {
  test('is read to an empty page', async () => {
    const rows = Array.from({ length: 700 }, (_, n) => ledgerBody('TRADE', { transaction_hash: hex(n + 1) }))
    const { fills, state, asked } = await read(v1(rows))
    expect([fills.length, state]).toEqual([700, 'complete'])
    expect(asked[1]).toBe(`/activity?excludeDepositsWithdrawals=false&limit=500&offset=0&user=${wallet(1)}`)
  })

  test('beyond offset 10,000 is unverified, and whole from a second after its oldest row on', async () => {
    const oldest = 1_790_000_000
    const rows = Array.from({ length: 10_900 }, (_, n) =>
      ledgerBody(n % 2 === 0 ? 'TRADE' : 'REDEEM', {
        transaction_hash: hex(n + 1),
        // The oldest two that are shown, 10,198 and 10,199, share their second with one that is not.
        timestamp: oldest + Math.max(0, 10_198 - n),
      }),
    )
    const { fills, activity, ...reading } = await read(v1(rows), Number.MAX_SAFE_INTEGER)
    expect(reading).toMatchObject({
      state: 'unverified',
      reason: expect.stringContaining('offsets end') as string,
      from: (oldest + 1) * 1_000_000,
    })
    expect(fills.length + activity.length).toBe(10_198)
    expect(Math.min(...[...fills, ...activity].map(({ ts }) => ts))).toBe(reading.from)
  })
})

describe('an account that the venue does not have', () => {
  test.each([
    [
      'a contract of the protocol',
      {
        status: 400,
        error: `{"error":"${'long '.repeat(60)}","code":"invalid_request","parameter":"user","retryable":false}`,
      },
    ],
    ['a contract, by a body without a code', { status: 400, error: '{"error":"not a user","parameter":"user"}' }],
    ['one that v2 does not know', { status: 404, error: '{"error":"","code":"not_found","parameter":"user"}' }],
    ['unknown to both versions', { status: 404 }],
  ])('is unavailable: %s', async (_, answer) => {
    const { state, reason, rows } = await read(() => answer)
    expect([state, rows]).toEqual(['unavailable', { activity: [], fills: [] }])
    expect(reason).toContain(`answered ${answer.status}`)
  })

  test('is not an account with an invalid request or an interrupted response', async () => {
    const wrong = { status: 400, error: '{"error":"limit is too large","parameter":"limit"}' }
    await expect(read(() => wrong)).rejects.toThrow('limit is too large')
    await expect(read(() => ({ status: 400, error: '{"error":"bad request"}' }))).rejects.toThrow('bad request')
    // Texts change: only the status and the fields decide.
    const inWords = '{"error":"this is a protocol contract"}'
    await expect(read(() => ({ status: 400, error: inWords }))).rejects.toThrow('protocol contract')
    const internal = '{"error":"user","code":"internal","parameter":"user"}'
    await expect(read(() => ({ status: 400, error: internal }))).rejects.toThrow('internal')
    const page = v2([ledgerBody('TRADE', {}), ledgerBody('TRADE', {})], 1)
    await expect(read((path, query) => (query.has('cursor') ? { status: 400 } : page(path, query)))).rejects.toThrow(
      '400',
    )
  })
})

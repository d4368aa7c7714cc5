import { afterEach, beforeEach, expect, test } from 'vitest'

import type { NewRow } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import type { Unit } from '#lake/units/unit.ts'
import { checkedNotation, openFillChecks } from '#sources/markets/limitless/account_checks.ts'
import { openEvidence } from '#sources/markets/limitless/wire/history_evidence.ts'
import { store, temporaryLake } from '#test/sources/markets/polymarket/fake.ts'

import { hex, historyBody, slug, wallet } from './wire.ts'

const at = Date.UTC(2026, 10, 20) * 1000

let lake: Lake
let remove: () => Promise<void>
beforeEach(async () => {
  ;({ lake, remove } = await temporaryLake())
})
afterEach(() => remove())

const fillOf = (n: number, more: Partial<NewRow<'fills'>> = {}): NewRow<'fills'> => ({
  venue: 'limitless', token_id: `${slug(1)}:0`, ts: at - 1, tx: hex(n), trader: wallet(1), side: 'buy', price: 1n, size: 1n,
  seq: 0, market_id: `limitless:${slug(1)}`, role: 'taker', cash_usd: 1n, fee_usd: null, ...more,
}) // prettier-ignore

const unitOf = (source: string, key: string): Unit => ({
  source,
  kind: 'history',
  part: 'limitless',
  key,
  from: 0,
  to: null,
  params: [],
})

/** What the checks of a history say, whose fills come in parts. */
const checked = (...parts: NewRow<'fills'>[][]) =>
  lake.read(async (reader) => {
    const checks = openFillChecks(reader, { account: wallet(1), until: at })
    for (const part of parts) await checks.add(part)
    return { contradiction: checks.contradiction(), lostMakers: await checks.lostMakers() }
  })

test('a history is held against the transactions of its account, however its fills are divided', async () => {
  const traded = [1, 2, 3, 4].map((n) => fillOf(n))
  // Two fills of one transaction, one of another account, and one that is too new.
  const others = [fillOf(4, { seq: 1 }), fillOf(8, { trader: wallet(2) }), fillOf(9, { ts: at })]
  await store(lake, unitOf('limitless_trades', slug(1)), { fills: [...traded, ...others] }, { at })
  expect((await checked(traded)).contradiction).toBe(null)
  expect((await checked(traded.slice(0, 3), [fillOf(7)], traded.slice(3), [])).contradiction).toBe(null)
  const lacks = (n: number) => `contradicted: ${n} of its 4 transactions in limitless_trades are not in its history`
  expect((await checked(traded.slice(0, 2), [fillOf(7)])).contradiction).toBe(lacks(2))
  expect((await checked([], traded.slice(3))).contradiction).toBe(lacks(3))
  expect((await checked([])).contradiction).toBe(lacks(4))
  // Its transactions have other names.
  expect((await checked([fillOf(7)], [fillOf(6)])).contradiction).toBe(null)
})

test('fills without a transaction, which come in parts, do not hide one that is missing', async () => {
  const traded = [fillOf(1, { tx: '' }), fillOf(2)]
  await store(lake, unitOf('limitless_trades', slug(1)), { fills: traded }, { at })
  const parts = [[fillOf(1, { tx: '' })], [fillOf(3, { tx: '' })]]
  const lacks = 'contradicted: 1 of its 2 transactions in limitless_trades are not in its history'
  expect((await checked(...parts)).contradiction).toBe(lacks)
  expect((await checked(...parts, [fillOf(2)])).contradiction).toBe(null)
})

test('a history that has lost its fills as maker is noticed', async () => {
  const own = unitOf('limitless_activity', wallet(1))
  expect((await checked([fillOf(1)])).lostMakers).toBe(false)
  await store(lake, own, { fills: [fillOf(1, { role: 'maker', ts: at })], activity: [] }, { at })
  expect((await checked([fillOf(1)])).lostMakers).toBe(false)
  await store(lake, own, { fills: [fillOf(1, { role: 'maker' })], activity: [] }, { at })
  expect((await checked([fillOf(1)], [])).lostMakers).toBe(true)
  expect((await checked([], [fillOf(1), fillOf(2, { role: 'maker' })])).lostMakers).toBe(false)
})

test.each<[string, bigint[], string]>([
  ['as decimal if the stored fills have its sizes', [150_000_000_000n, 20_000_000n], 'decimal'],
  ['as raw if they have a millionth of them', [150_000n, 20n], 'raw'],
  ['as raw without stored fills', [], 'raw'],
])('a history of whole numbers is read %s', async (_, stored, expected) => {
  const fills = stored.map((size, n) => fillOf(n + 1, { size }))
  await store(lake, unitOf('limitless_trades', slug(1)), { fills }, { at })
  const evidence = openEvidence()
  const row = (n: number, collateralAmount: string, outcomeTokenAmount: string) =>
    historyBody({ collateralAmount, outcomeTokenAmount, outcomeTokenAmounts: [], transactionHash: hex(n) })
  // A fee of three per cent was taken in shares.
  evidence.add([row(1, '75000', '145500'), row(2, '10', '20')])
  evidence.add([row(3, '10', '20')])
  const account = { account: wallet(1), until: at }
  expect(await lake.read((reader) => checkedNotation(reader, account, evidence))).toBe(expected)
})

import { describe, expect, test } from 'vitest'

import { cut, run, type Given } from '#test/scoring/model.ts'

const fill = (trader: string, token_id = 'yes') => ({ trader, venue: 'polymarket', market_id: 'm', token_id })
const stretch = (key: string, is_proved = true, dataset = 'activity') => ({
  dataset,
  part: 'polymarket',
  key,
  source: 'polymarket_activity',
  is_proved,
})
const described = {
  'core.outcomes': [{ market_id: 'm', outcome: 0, token_id: 'yes' }],
  'core.markets': [{ market_id: 'm' }],
}
const completeness = async (given: Given) =>
  cut(await run('core.history_completeness', { ...described, ...given }), 'trader', 'is_complete', 'reason')
const codesOf = async (given: Given) =>
  cut(await run('core.history_completeness', { ...described, ...given }), 'reason_code').flat()

const converted = 'converted neg-risk shares, and the venue does not show into what'
const unbought = 'sold shares that were never seen bought'
const undescribed = 'traded in markets that are not described yet'
const cutOff = 'the venue cut the history off, rows of it did not parse, or stored trades contradict it'
const unserved = "the venue does not serve this account's activity"

describe('a history', () => {
  test('is complete once the account was read, whole and in its own words', async () => {
    const given = { 'staging.fills': [fill('ann')], 'staging.coverage_intervals': [stretch('ann')] }
    expect(await completeness(given)).toEqual([['ann', true, null]])
  })

  test('is not known before the account was read, be it in markets ever so complete', async () => {
    const given = { 'staging.fills': [fill('ann')], 'staging.coverage_intervals': [stretch('ann', true, 'fills')] }
    expect(await completeness(given)).toEqual([['ann', false, 'not pulled']])
  })

  test('is incomplete for the gravest reason that there is', async () => {
    const position = { trader: 'ann', market_id: 'm', outcome: 0 }
    const reasons: [string, Given][] = [
      [converted, { 'staging.activity': [{ trader: 'ann', venue: 'polymarket', kind: 'convert' }] }],
      [undescribed, { 'staging.fills': [fill('ann'), fill('ann', 'unknown')] }],
      [unbought, { 'core.positions': [{ ...position, size_untracked: 0.000001, is_complete: false }] }],
      [cutOff, { 'staging.coverage_intervals': [stretch('ann', false)] }],
      [unserved, { 'lake.coverage': [{ dataset: 'activity', part: 'polymarket', key: 'ann', state: 'unavailable' }] }],
    ]
    const base: Given = { 'staging.fills': [fill('ann')] }
    const codes = ['conversion', 'undescribed', 'untracked', 'cut_off', 'unavailable']
    expect(await codesOf(base)).toEqual(['unread'])
    for (let n = 0; n < reasons.length; n++) {
      const given = reasons.slice(n).reduce((all, [, one]) => ({ ...all, ...one }), base)
      expect(await completeness(given)).toEqual([['ann', false, reasons[n]?.[0]]])
      expect(await codesOf(given)).toEqual([codes[n]])
    }
  })

  test('is doubted for cash that no shares explain, and for a ledger that says so itself', async () => {
    const pulled = { 'staging.fills': [fill('ann')], 'staging.coverage_intervals': [stretch('ann')] }
    const position = { trader: 'ann', market_id: 'm', outcome: 0 }
    const of = (more: object) =>
      completeness({ ...pulled, 'core.positions': [{ ...position, is_complete: true, ...more }] })
    expect(await of({ untracked_usd: 0.01 })).toEqual([['ann', false, unbought]])
    expect(await of({ is_complete: false })).toEqual([['ann', false, unbought]])
    expect(await of({})).toEqual([['ann', true, null]])
  })

  test('names the venue that gives the reason, which need not be the first', async () => {
    const given = {
      'staging.fills': [fill('ann'), { ...fill('ann'), venue: 'limitless' }],
      'staging.coverage_intervals': [{ ...stretch('ann'), part: 'limitless', source: 'limitless_activity' }],
    }
    const rows = await run('core.history_completeness', { ...described, ...given })
    expect(cut(rows, 'venue', 'reason')).toEqual([['polymarket', 'not pulled']])
    const pulled = [...given['staging.coverage_intervals'], stretch('ann')]
    const whole = await run('core.history_completeness', {
      ...described,
      ...given,
      'staging.coverage_intervals': pulled,
    })
    expect(cut(whole, 'venue', 'reason')).toEqual([['limitless', null]])
  })

  test('does not take the cash of a market without a description for untracked', async () => {
    const position = { trader: 'ann', outcome: 0, untracked_usd: 5, is_complete: false }
    const rows = await run('core.history_completeness', {
      ...described,
      'staging.fills': [fill('ann')],
      'staging.coverage_intervals': [stretch('ann')],
      'core.positions': [
        { ...position, market_id: 'unknown' },
        { ...position, market_id: 'm', untracked_usd: 0.25 },
      ],
    })
    expect(cut(rows, 'reason', 'untracked_usd', 'n_undescribed')).toEqual([[undescribed, 0.25, 1]])
  })

  test('shows conversions whole where the chain says what they turned into', async () => {
    const conversion = { trader: 'ann', venue: 'polymarket', kind: 'convert', index_set: '3' }
    const given = { 'staging.activity': [conversion], 'staging.coverage_intervals': [stretch('ann')] }
    expect(await completeness(given)).toEqual([['ann', true, null]])
  })

  test('is cut off where one of its stretches may be', async () => {
    const stretches = [stretch('ann', false), { ...stretch('ann'), from_at: '2026-02-01' }]
    const given = { 'staging.fills': [fill('ann')], 'staging.coverage_intervals': stretches }
    expect(await completeness(given)).toEqual([['ann', false, cutOff]])
  })

  test('is there for who was seen in fills or moves, and for who was asked for and did nothing', async () => {
    const given = {
      'staging.fills': [fill('ann')],
      'staging.activity': [{ trader: 'bob', venue: 'polymarket', kind: 'split' }],
      // Fay was read too, and first did something after the clock.
      'staging.coverage_intervals': [stretch('cid'), stretch('fay')],
      'lake.coverage': [
        { dataset: 'activity', part: 'polymarket', key: 'cid', state: 'head', n_rows: 0 },
        { dataset: 'fills', part: 'polymarket', key: 'cid', state: 'head', n_rows: 0 },
        { dataset: 'activity', part: 'polymarket', key: 'fay', state: 'head', n_rows: 0 },
        { dataset: 'fills', part: 'polymarket', key: 'fay', state: 'head', n_rows: 2 },
        { dataset: 'activity', part: 'polymarket', key: 'dan', state: 'unavailable' },
        { dataset: 'activity', part: 'polymarket', key: 'eve', state: 'missing' },
        { dataset: 'activity', part: 'polymarket', key: '0xsystem', state: 'unavailable' },
      ],
      'staging.system_addresses': [{ address: '0xsystem', label: 'exchange' }],
    }
    expect(await completeness(given)).toEqual([
      ['ann', false, 'not pulled'],
      ['bob', false, 'not pulled'],
      ['cid', true, null],
      ['dan', false, unserved],
    ])
  })

  test('of a trader of two venues is complete once both were read, and the first that was not says why', async () => {
    const both = [fill('ann'), { ...fill('ann'), venue: 'limitless' }]
    const limitless = { ...stretch('ann'), part: 'limitless', source: 'limitless_activity' }
    const of = (...stretches: object[]) =>
      completeness({ 'staging.fills': both, 'staging.coverage_intervals': stretches as Given[string] })
    expect(await of(stretch('ann'), limitless)).toEqual([['ann', true, null]])
    expect(await of(stretch('ann'))).toEqual([['ann', false, 'not pulled']])
    expect(await of({ ...stretch('ann'), is_proved: false })).toEqual([['ann', false, 'not pulled']])
    expect(await of({ ...stretch('ann'), is_proved: false }, limitless)).toEqual([['ann', false, cutOff]])
  })

  test('does not count a venue where the trader never traded and was asked for', async () => {
    const unavailable = { dataset: 'activity', part: 'limitless', key: 'ann', state: 'unavailable' }
    const idle = { dataset: 'activity', part: 'limitless', key: 'ann', state: 'head', n_rows: 0 }
    const read = [stretch('ann'), { ...stretch('ann'), part: 'limitless' }]
    const traded = { 'staging.fills': [fill('ann')], 'staging.coverage_intervals': [stretch('ann')] }
    expect(await completeness({ ...traded, 'lake.coverage': [unavailable] })).toEqual([['ann', true, null]])
    expect(await completeness({ ...traded, 'staging.coverage_intervals': read, 'lake.coverage': [idle] })).toEqual([
      ['ann', true, null],
    ])
    // Nowhere: an empty history of one venue counts, and an account that none of them serves has no history.
    const empty = { ...idle, part: 'polymarket' }
    expect(
      await completeness({ 'staging.coverage_intervals': [stretch('ann')], 'lake.coverage': [empty, unavailable] }),
    ).toEqual([['ann', true, null]])
    const nowhere = [unavailable, { ...unavailable, part: 'polymarket' }]
    expect(await completeness({ 'lake.coverage': nowhere })).toEqual([['ann', false, unserved]])
  })

  test('sums what is untracked over all positions', async () => {
    const position = { trader: 'ann', market_id: 'm', is_complete: true }
    const rows = await run('core.history_completeness', {
      ...described,
      'staging.fills': [fill('ann'), fill('ann', 'unknown'), fill('ann', 'unheard')],
      'core.positions': [
        { ...position, outcome: 0, untracked_usd: 1.25 },
        { ...position, outcome: 1, untracked_usd: 2 },
      ],
    })
    expect(cut(rows, 'untracked_usd', 'n_undescribed')).toEqual([[3.25, 2]])
  })
})

import { describe, expect, it } from 'vitest'

import { pictureOf } from '#validation/picture.ts'
import { report, type Evidence } from '#validation/report.ts'
import { tableOf } from '#validation/table.ts'

import { tradersOf } from './traders.ts'

const evidence = (traders: Evidence['traders'], of: Partial<Evidence> = {}): Evidence => ({
  at: '2026-09-01T00:00:00.000Z',
  until: '2026-10-01T00:00:00.000Z',
  funnel: { n_known: 500, n_complete: 300, n_proven: 120, n_scored: traders.length },
  reach: { n_markets: 90, n_covered: 90 },
  traders,
  ...of,
})

describe('a report', () => {
  it('has all figures with enough traders, and no others', () => {
    const found = report(evidence(tradersOf(40)))
    expect(found).toMatchObject({ n_eligible: 40, n_with_clv: 40, n_with_roi: 40, n_resamples: 2_000, cannot: [] })
    expect(found.spearman.map(({ kind, n_traders }) => [kind, n_traders])).toEqual([['all', 40]])
    expect(found.spearman[0]?.figures.clv).toEqual({ value: 1, lower: 1, upper: 1 })
    const roi = found.top_decile_roi?.figures.clv
    expect(roi?.lower).toBeLessThan(roi?.value ?? Number.NaN)
    expect(roi?.upper).toBeGreaterThan(roi?.value ?? Number.NaN)
    expect(found.deciles?.clv[0]).toBe(37.5)
  })

  it('is the same for the same evidence', () => {
    expect(report(evidence(tradersOf(40)))).toEqual(report(evidence(tradersOf(40))))
  })

  it('separates the kinds where there are two with traders enough', () => {
    const traders = tradersOf(90, (trader, i) => (i % 3 === 0 ? { ...trader, kind: 'markout_24h' } : trader))
    expect(report(evidence(traders)).spearman.map(({ kind, n_traders }) => [kind, n_traders])).toEqual([
      ['all', 90],
      ['event_start', 60],
      ['markout_24h', 30],
    ])
    const fewer = tradersOf(80, (trader, i) => (i % 3 === 0 ? { ...trader, kind: 'markout_24h' } : trader))
    expect(report(evidence(fewer)).spearman.map(({ kind }) => kind)).toEqual(['all', 'event_start'])
  })

  it('says how many more traders it would take where there are too few', () => {
    const traders = tradersOf(40, (trader, i) => ({
      ...trader,
      realized_points: i < 29 ? i : null,
      roi: i < 3 ? i : null,
    }))
    const found = report(evidence(traders))
    expect(found).toMatchObject({ spearman: [], top_decile_roi: null, deciles: null })
    expect(found.cannot).toEqual([
      'Traders known as of 2026-09-01T00:00:00.000Z: 500; of these with a complete history: 300; of these with 20 fills and ' +
        '10 closed markets: 120; of these with an effective sample of 10 events: 40.',
      'Eligible traders with a known close of their fills between 2026-09-01T00:00:00.000Z and ' +
        '2026-10-01T00:00:00.000Z: 29 of 40. 30 are needed, 1 more, so closing line value has no figures.',
      'Eligible traders with a resolved market that they entered between 2026-09-01T00:00:00.000Z and ' +
        '2026-10-01T00:00:00.000Z: 3 of 40. 30 are needed, 27 more, so returns have no figures.',
    ])
  })

  it('without traders has no figure', () => {
    const found = report(evidence([]))
    expect(found).toMatchObject({ n_eligible: 0, spearman: [], top_decile_roi: null, deciles: null })
    expect(found.cannot).toHaveLength(3)
    expect(tableOf(found)).not.toMatch(/Spearman|return of/)
  })

  it('names the unread part of the period', () => {
    const { cannot } = report(evidence(tradersOf(40), { reach: { n_markets: 90, n_covered: 71 } }))
    expect(cannot).toEqual([
      'Markets open in the period whose fills were read to its end: 71 of 90. Trades of the others are missing from the ' +
        'results.',
    ])
  })

  it('has no correlation with a score that is the same for all', () => {
    const traders = tradersOf(40, (trader) => ({ ...trader, scores: { ...trader.scores, clv: 0.5 } }))
    const found = report(evidence(traders))
    const { clv, clv_minus_pnl, pnl } = found.spearman[0]?.figures ?? {}
    expect([clv, clv_minus_pnl, pnl?.value]).toEqual([null, null, -1])
    expect(found.cannot).toEqual(['All 40 traders have the same closing line value, so it gives no ranks.'])
  })

  it('gives no interval if a resample may miss all traders with a result', () => {
    // Of the best four one alone has a return.
    const traders = tradersOf(40, (trader, i) => (i > 35 && i < 39 ? { ...trader, roi: null } : trader))
    const found = report(evidence(traders))
    expect(found.top_decile_roi?.figures.clv).toEqual({ value: 0.39, lower: null, upper: null })
    expect(found.cannot).toEqual([
      'Figures without an interval are undefined in some resamples, since too few traders have a result.',
    ])
  })
})

describe('what is shown', () => {
  it('is a table with the figures of each score and their bounds', () => {
    const lines = tableOf(report(evidence(tradersOf(40)))).split('\n')
    expect(lines[0]).toBe(
      'ranks as of 2026-09-01T00:00:00.000Z, results from then until 2026-10-01T00:00:00.000Z: 40 eligible traders',
    )
    expect(lines).toContain('  closing line value                     1.000     1.000     1.000')
    expect(lines).toContain('  raw PnL                               -1.000    -1.000    -1.000')
    expect(lines).toContain(
      '  raw PnL                              1.50   5.50   9.50  13.50  17.50  21.50  25.50  29.50  33.50  37.50',
    )
    const unknown = tableOf(report(evidence(tradersOf(40, (one) => ({ ...one, scores: { ...one.scores, clv: 1 } })))))
    expect(unknown).toContain('  closing line value                         -         -         -\n')
  })

  it('is a picture with a mark for each figure, within its frame', () => {
    const svg = pictureOf(report(evidence(tradersOf(40))))
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1080 400"/)
    expect(svg).toContain('Rank correlation (Spearman)')
    // Three scores twice, and three lines of ten points.
    expect(svg.match(/<circle /g)).toHaveLength(6 + 30)
    expect(svg).not.toMatch(/NaN|undefined|null|Infinity/)
    for (const [, x] of svg.matchAll(/ (?:x|x1|x2|cx)="([^"]*)"/g)) expect(Math.abs(Number(x) - 540)).toBeLessThan(541)
    for (const [, y] of svg.matchAll(/ (?:y|y1|y2|cy)="([^"]*)"/g)) expect(Math.abs(Number(y) - 200)).toBeLessThan(201)
  })

  it('says in the picture too that there are too few', () => {
    const svg = pictureOf(report(evidence(tradersOf(12))))
    expect(svg.match(/fewer than 30 traders/g)).toHaveLength(3)
    expect(svg).not.toMatch(/<circle|NaN/)
  })
})

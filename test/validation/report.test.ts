import { describe, expect, it } from 'vitest'

import { pictureOf } from '#validation/picture.ts'
import { report, type Evidence } from '#validation/report.ts'
import { tableOf } from '#validation/table.ts'

import { tradersOf } from './traders.ts'

const evidence = (traders: Evidence['traders'], of: Partial<Evidence> = {}): Evidence => ({
  at: '2026-09-01T00:00:00.000Z',
  until: '2026-10-01T00:00:00.000Z',
  world: 'real',
  funnel: { n_known: 500, n_complete: 300, n_proven: 120, n_scored: traders.length },
  reach: { n_markets: 90, n_covered: 90 },
  guards: [],
  traders,
  ...of,
})

describe('a report', () => {
  it('has all figures with enough traders, and no others', () => {
    const found = report(evidence(tradersOf(40)))
    expect(found).toMatchObject({ n_eligible: 40, n_resamples: 1_000, cannot: [] })
    expect(found.n_with).toEqual({ payout: 40, clv: 40, roi: 40 })
    expect(found.groups.map(({ kind, target, n_traders }) => [kind, target, n_traders])).toEqual([
      ['all', 'payout', 40],
      ['all', 'clv', 40],
      ['all', 'roi', 40],
    ])
    expect(found.groups[0]?.spearman.clv).toEqual({ value: 1, lower: 1, upper: 1 })
    const roi = found.groups[2]?.top_decile.clv
    expect(roi?.lower).toBeLessThan(roi?.value ?? Number.NaN)
    expect(roi?.upper).toBeGreaterThan(roi?.value ?? Number.NaN)
  })

  it('is the same for the same evidence', () => {
    expect(report(evidence(tradersOf(40)))).toEqual(report(evidence(tradersOf(40))))
  })

  it('separates the kinds where there are two with traders enough', () => {
    const kinds = (n: number) => {
      const traders = tradersOf(n, (trader, i) => (i % 3 === 0 ? { ...trader, kind: 'markout_24h' } : trader))
      const own = report(evidence(traders)).groups.filter(({ target }) => target === 'payout')
      return own.map(({ kind, n_traders }) => [kind, n_traders])
    }
    expect(kinds(90)).toEqual([
      ['all', 90],
      ['event_start', 60],
      ['markout_24h', 30],
    ])
    expect(kinds(80)).toEqual([
      ['all', 80],
      ['event_start', 53],
    ])
  })

  it('separates takers and makers where there are both', () => {
    const traders = tradersOf(100, (trader, i) => ({ ...trader, isTaker: i % 3 > 0 }))
    const own = report(evidence(traders)).groups.filter(({ target }) => target === 'payout')
    expect(own.map(({ kind, n_traders }) => [kind, n_traders])).toEqual([
      ['all', 100],
      ['takers', 66],
      ['makers', 34],
    ])
    expect(own[1]?.spearman.clv).toMatchObject({ value: 1 })
  })

  it('names the guard that does not hold, and what is missing by it', () => {
    const guards = [
      { kind: 'event_start', state: 'broken', reason: 'event_start: slope 0.60' },
      { kind: 'markout_24h', state: 'warning', reason: 'markout_24h: slope 0.90' },
    ]
    expect(report(evidence(tradersOf(40), { guards })).cannot).toEqual([
      'The closes of event_start are not trusted as of T, so that no trader is listed by them: event_start: slope 0.60.',
      'The guard of markout_24h is warning as of T: markout_24h: slope 0.90.',
    ])
  })

  it('says how many more traders it would take where there are too few', () => {
    const traders = tradersOf(40, (trader, i) => ({
      ...trader,
      payout: i < 29 ? trader.payout : [],
      roi: i < 3 ? i : null,
    }))
    const found = report(evidence(traders))
    expect(found.groups.map(({ target }) => target)).toEqual(['clv'])
    expect(found.cannot).toEqual([
      'Traders known as of 2026-09-01T00:00:00.000Z: 500; of these with a complete history: 300; of these with 20 fills and ' +
        '10 closed markets: 120; of these with an effective sample of 10 clusters: 40.',
      'Eligible traders with a resolved market of their fills between 2026-09-01T00:00:00.000Z and ' +
        '2026-10-01T00:00:00.000Z: 29 of 40. 30 are needed, 1 more, so the payout edge has no figures.',
      'Eligible traders with a resolved market that they entered between 2026-09-01T00:00:00.000Z and ' +
        '2026-10-01T00:00:00.000Z: 3 of 40. 30 are needed, 27 more, so the return of markets entered has no figures.',
    ])
  })

  it('without traders has no figure', () => {
    const found = report(evidence([]))
    expect(found).toMatchObject({ n_eligible: 0, groups: [] })
    expect(found.cannot).toHaveLength(4)
    expect(tableOf(found)).not.toMatch(/Spearman|top decile/)
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
    const { clv, clv_minus_pnl, pnl } = found.groups[0]?.spearman ?? {}
    expect([clv, clv_minus_pnl, pnl?.value]).toEqual([null, null, -1])
    expect(found.cannot).toEqual(['All 40 traders have the same closing line value, so it gives no ranks.'])
  })

  it('gives no interval if a resample may miss all traders with a result', () => {
    // Of the best four one alone has a return.
    const traders = tradersOf(40, (trader, i) => (i > 35 && i < 39 ? { ...trader, roi: null } : trader))
    const found = report(evidence(traders))
    expect(found.groups[2]?.top_decile.clv).toEqual({ value: 0.39, lower: null, upper: null })
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
    expect(lines).toContain('Spearman with the payout edge, all traders (40 traders)')
    expect(lines).toContain('  closing line value                     1.000     1.000     1.000')
    expect(lines).toContain('  raw PnL                               -1.000    -1.000    -1.000')
    const unknown = tableOf(report(evidence(tradersOf(40, (one) => ({ ...one, scores: { ...one.scores, clv: 1 } })))))
    expect(unknown).toContain('  closing line value                         -         -         -\n')
  })

  it('says that a world is simulated', () => {
    const found = report(evidence(tradersOf(40), { world: 'a1b2' }))
    expect(tableOf(found)).toContain('40 eligible traders, simulated\n')
    expect(pictureOf(found)).toContain('40 eligible traders, simulated<')
    expect(pictureOf(report(evidence(tradersOf(40))))).not.toContain('simulated')
  })

  it('is a picture with a mark for each figure and its n, within its frame', () => {
    const svg = pictureOf(report(evidence(tradersOf(40))))
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" viewBox="0 0 1180 400"/)
    // Six scores in three panels, each with its traders.
    expect(svg.match(/<circle /g)).toHaveLength(18)
    expect(svg.match(/n = 40 traders/g)).toHaveLength(3)
    expect(svg).not.toMatch(/NaN|undefined|null|Infinity/)
    for (const [, x] of svg.matchAll(/ (?:x|x1|x2|cx)="([^"]*)"/g)) expect(Math.abs(Number(x) - 590)).toBeLessThan(591)
    for (const [, y] of svg.matchAll(/ (?:y|y1|y2|cy)="([^"]*)"/g)) expect(Math.abs(Number(y) - 200)).toBeLessThan(201)
  })

  it('says in the picture too that there are too few', () => {
    const svg = pictureOf(report(evidence(tradersOf(12))))
    expect(svg.match(/fewer than 30 traders/g)).toHaveLength(3)
    expect(svg).not.toMatch(/<circle|NaN/)
  })
})

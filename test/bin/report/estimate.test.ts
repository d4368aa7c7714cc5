import { expect, test } from 'vitest'

import { describeEstimates, type SourceEstimate } from '#bin/report/estimate.ts'

const typical: SourceEstimate = {
  source: 'venue_markets',
  units: 1,
  requests: 100,
  rows: 5_000,
  bytes: 50_000_000,
  seconds: 90,
  basis: 'typical',
  after: [],
}

test('a source is one line under the headings', () => {
  expect(describeEstimates([{ ...typical, units: 1_000, seconds: 600, basis: 'measured' }])).toBe(
    [
      'source         units  requests   rows       bytes    time  basis',
      'venue_markets  1,000       100  5,000  50,000,000  10 min  stored units',
      '',
    ].join('\n'),
  )
})

test('several sources have a total, and a note if they plan from unread sources', () => {
  const none = { units: 0, requests: 0, rows: 0, bytes: 0, seconds: 0 }
  const text = describeEstimates([
    typical,
    {
      ...typical,
      source: 'venue_trades',
      units: 3,
      requests: 30,
      rows: 60,
      bytes: 0,
      seconds: 30,
      after: ['venue_markets'],
    },
    { ...typical, ...none, source: 'venue_activity', after: ['venue_markets', 'venue_trades'] },
    { ...typical, ...none, source: 'venue_odds' },
  ])
  expect(text).toBe(
    [
      'source          units  requests   rows       bytes   time  basis',
      'venue_markets       1       100  5,000  50,000,000   90 s  typical units',
      'venue_trades        3        30     60           0   30 s  typical units, at least',
      'venue_activity      0         0      0           0    0 s  not known yet',
      'venue_odds          0         0      0           0    0 s  nothing is due',
      'total               4       130  5,060  50,000,000  2 min  at least',
      'venue_trades: more units may be due after venue_markets is read',
      'venue_activity: more units may be due after venue_markets, venue_trades are read',
      '',
    ].join('\n'),
  )
})

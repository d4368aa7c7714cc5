import { expect, test } from 'vitest'

import { showFigure, type Unit } from '#api/chat/answering/figures.ts'
import { quotedText } from '#api/chat/answering/plain_text.ts'
import { findAssets } from '#api/chat/reading/assets.ts'
import { chainOf } from '#api/chat/reading/chains.ts'
import { openLexicons } from '#api/chat/reading/lexicon.ts'
import { periodOf } from '#api/chat/reading/periods.ts'
import { sinceOf } from '#api/chat/reading/since.ts'
import { subjectWords } from '#api/chat/reading/subject.ts'
import type { Snapshot } from '#snapshots/marts.ts'

/** Words that every object of JavaScript has as members. */
test.each(['constructor', 'valueof', 'tostring'])('%s is a word as any other', (word) => {
  expect(chainOf(`top wallets on ${word}`)).toEqual({ slug: null, unknown: word })
  expect(subjectWords(`two ${word} awards`)).toEqual(
    subjectWords('two scudetto awards').with(1, subjectWords(word)[0] ?? ''),
  )
})

const noon = Date.UTC(2026, 2, 10, 12)

test.each([
  ['since june 5', '2025-06-05'],
  ['what may have changed since june 5', '2025-06-05'],
  ['what may have changed since 5th of june', '2025-06-05'],
  ['since sept 5', '2025-09-05'],
  ['since sep 5', '2025-09-05'],
  ['since march 1', '2026-03-01'],
  ['since 27 feb', '2026-02-27'],
])('%s begins at %s', (text, day) => {
  expect(sinceOf(text, noon)?.toISOString()).toBe(`${day}T00:00:00.000Z`)
})

test.each([
  ['since nov 20 2025', '2025-11-20T00:00'],
  ['since november 20th, 2024', '2024-11-20T00:00'],
  ['since 20 nov 2025 5pm', '2025-11-20T17:00'],
  ['since tues', '2026-03-03T00:00'],
  ['since weds', '2026-03-04T00:00'],
  ['since thurs 9am', '2026-03-05T09:00'],
  ['since thu', '2026-03-05T00:00'],
  ['since 2026-03-09 10am', '2026-03-09T10:00'],
  ['since 2026-03-09', '2026-03-09T00:00'],
  ['since 2024-02-29', '2024-02-29T00:00'],
  ['in the last 1.5 hours', '2026-03-10T10:30'],
  ['in the last 1.5h', '2026-03-10T10:30'],
  ['2.5 days ago', '2026-03-08T00:00'],
  ['in the last 15m', '2026-03-10T11:45'],
  ['in the last 15 minutes', '2026-03-10T11:45'],
])('%s begins at the instant %s', (text, at) => {
  expect(sinceOf(text, noon)?.toISOString()).toBe(`${at}:00.000Z`)
})

test.each([
  ['over 0.7 days', 0.7],
  ['over .5 days', 0.5],
  ['last 1.5 weeks', 10.5],
  ['pnl 0.7d', 0.7],
  ['pnl 30.0d', 30],
  ['over 1,000 days', 1_000],
  ['over 12345 days', 12_345],
  ['over 7 days', 7],
  ['btc,7d', 7],
  ['over two weeks', 14],
  ['a 30-day window', 30],
  ['this month', 30],
])('%s is a period of %d days', (text, days) => {
  expect(periodOf(text)).toBeCloseTo(days, 9)
})

test.each(['since feb 30', 'since 31 november 2025', 'since 2026-02-30', 'since 2025-02-29', 'moves over $15m'])(
  '%s names no instant',
  (text) => {
    expect(sinceOf(text, noon)).toBeNull()
  },
)

test.each(['in the past 9999 years', 'last 5000 years', '9999 quarters ago'])('%s begins with time', (text) => {
  expect(sinceOf(text, noon)?.toISOString()).toBe('1970-01-01T00:00:00.000Z')
})

test.each<[number, Unit, string]>([
  [-0.004, 'usd', 'x $0.00'],
  [-0.006, 'usd', 'x -$0.01'],
  [-1234.5, 'usd', 'x -$1,234.50'],
  [1234.5, 'usd', 'x $1,234.50'],
  [0.004, 'points', 'x 0.00 points'],
  [-0.004, 'points', 'x 0.00 points'],
  [0.006, 'points', 'x +0.01 points'],
  [-0.006, 'points', 'x -0.01 points'],
])('%d %s is shown as %s', (value, unit, text) => {
  expect(showFigure({ name: 'x', value, unit })).toBe(text)
})

test('a long title is cut between characters', () => {
  const title = `${'x'.repeat(159)}🚀🚀`
  expect(quotedText(title, 'id')).toBe(`"${'x'.repeat(159)}…"`)
  expect(quotedText(title.slice(1), 'id')).toBe(`"${'x'.repeat(158)}🚀…"`)
})

test('a letter that is longer in lower case moves no name of an asset', () => {
  const assets = [{ symbol: 'BCH', name: 'Bitcoin Cash' }]
  const { symbols, masked } = findAssets('İİİ sentiment of bitcoin cash please', assets)
  expect([symbols, masked]).toEqual([['BCH'], 'İİİ sentiment of <asset> please'])
})

test('names that could not be read are read again for the next question', async () => {
  let n_reads = 0
  const query = async () => {
    n_reads += 1
    if (n_reads === 1) throw new Error('busy')
    return [{ symbol: 'BTC', name: 'Bitcoin' }]
  }
  const snapshot = { id: 'scores-1', tables: new Set(['assets']), query } as unknown as Snapshot
  const lexicon = openLexicons({ current: () => snapshot })
  await expect(lexicon()).rejects.toThrow('busy')
  expect((await lexicon()).assets).toEqual([{ symbol: 'BTC', name: 'Bitcoin' }])
  await lexicon()
  expect(n_reads).toBe(2)
})

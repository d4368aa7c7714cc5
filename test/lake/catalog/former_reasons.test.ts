import { join } from 'node:path'

import Libsql from 'libsql'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { unparsed } from '#ingest/parse/rows.ts'
import { formerReason } from '#lake/catalog/former_reasons.ts'
import { gapsIn } from '#lake/reasons.ts'
import { markUnits } from '#lake/units/mark_units.ts'
import { storeFailure } from '#lake/units/store_unit.ts'
import { unitPath, type Unit } from '#lake/units/unit.ts'
import { newHome, newLake, noon, quote, storeRows } from '#test/lake/fixture.ts'

const unitOf = (key: string): Unit => ({
  source: 'venue_quotes',
  kind: 'history',
  part: 'venue',
  key,
  from: 0,
  to: null,
  params: [],
})
const fiveMinutes = 'messages 3 to 4 are gone: nothing came from 2026-11-20 13:00:00 to 2026-11-20 13:05:00'
const provisional = 'provisional until polymarket_feed has the hour'

describe('the sentence of a former version', () => {
  test.each([
    ['quarantined', unparsed(1), 'unparsed'],
    ['quarantined', unparsed(20_000), 'unparsed'],
    ['quarantined', `${unparsed(3)}; ${provisional}`, 'provisional'],
    ['quarantined', `${unparsed(3)}; ${fiveMinutes}`, 'gap'],
    ['quarantined', `${unparsed(3)}; 2 older rows carried over from an earlier reading`, 'incomplete'],
    ['unverified', provisional, 'provisional'],
    ['unverified', `${provisional}; silent: nothing came since 2026-11-20 13:00:00`, 'silent'],
    ['unverified', `${provisional}; the stream began later`, 'gap'],
    ['unverified', 'contradicted: 2 of its trades differ from polymarket_feed', 'contradicted'],
    ['unverified', '3 of 4 pages', 'incomplete'],
    ['unavailable', 'venue /trades answered 404 (1 attempt)', 'unavailable'],
    ['missing', 'venue /trades answered 500 (8 attempts)', 'failed'],
    ['missing', 'a data file of the unit was lost before the repair', 'lost'],
    ['expired', 'rows are kept for 30 days', 'expired'],
    ['head', 'the archive grows; markets settled before 2026-11-20 13:00:00 are in it', 'growing'],
    [
      'head',
      'clocks of this machine and of the upstream: more than ten minutes apart; expected the same time',
      'clock',
    ],
  ])('%s, %s: %s', (state, reason, code) => {
    expect(formerReason({ state, reason }).reason_code).toBe(code)
  })

  test('has the gaps of a stream with their ends, and the channels without a page', () => {
    const streamed = formerReason({ state: 'unverified', reason: `${provisional}; ${fiveMinutes}` })
    expect(gapsIn(streamed.gaps)).toEqual([{ text: fiveMinutes, to: Date.UTC(2026, 10, 20, 13, 5) * 1000 }])
    const listed = formerReason({
      state: 'unverified',
      reason: 'one: no page with messages, two: more than 5 pages, three: no page with messages',
    })
    expect(gapsIn(listed.gaps).map(({ subject }) => subject)).toEqual(['one', 'three'])
  })
})

const codeShape = z.object({ unit: z.string(), code: z.string().nullable(), n_rejected: z.bigint().nullable() })

test('the entries of a catalog without codes get them once, and a contradiction is known and lifted', async () => {
  const home = await newHome()
  const before = await newLake({ home })
  await storeRows(before, unitOf('whole'), { quotes: [quote('0xa', noon)] })
  await storeRows(before, unitOf('odd'), { quotes: [] }, { state: 'quarantined', reason: unparsed(7) })
  await storeRows(before, unitOf('twice'), { quotes: [quote('0xb', noon)] }, { checkedAt: noon })
  const mark = { unit: unitPath(unitOf('twice')), checked_at: noon, agreed: [] }
  await markUnits(before, [{ ...mark, contradiction: 'it differs' }])
  const failure = { datasets: ['quotes'] as const, precedence: 1, reason: 'gone', asked: [], checkedAt: noon }
  await storeFailure(before, unitOf('failed'), failure)
  await before.close()
  const file = new Libsql(join(home, 'catalog.sqlite'))
  for (const column of ['reason_code', 'gaps', 'n_rejected'])
    file.exec(`alter table tapeline_coverage drop column ${column}`)
  file.close()

  const lake = await newLake({ home })
  const codes = async () => {
    const rows = await lake.read(({ query }) =>
      query('select unit, reason_code as code, n_rejected from lake.coverage order by unit', codeShape),
    )
    return rows.map(({ unit, code, n_rejected }) => [unit.split('/')[2], code, n_rejected])
  }
  expect(await codes()).toEqual([
    ['failed', 'failed', null],
    ['odd', 'unparsed', 7n],
    ['twice', 'contradicted', null],
    ['whole', null, null],
  ])
  await markUnits(lake, [{ ...mark, contradiction: null }])
  expect((await codes())[2]).toEqual(['twice', null, null])
  await lake.close()
})

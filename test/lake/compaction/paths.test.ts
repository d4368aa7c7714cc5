import { describe, expect, test } from 'vitest'

import { byFolder, joinedPath, nameOf, placeOf, rangesOf } from '#lake/compaction/paths.ts'

const hours = 'lake/fills/v1/venue_feed/venue'
const lives = 'lake/fills/v1/venue_trades/venue/3f'

test('a folder has the files of units, and beside them what was joined', () => {
  const units = [`${hours}/2026-11-20T13.parquet`, `${hours}/2026-11-20T14.parquet`]
  const joined = [joinedPath(hours, '2026-11-19.0f.parquet'), joinedPath(hours, 'manifest-00000001.json')]
  expect(byFolder([...units, `${lives}/0xa.parquet`, ...joined])).toEqual(
    new Map([
      [hours, { units, joined: ['2026-11-19.0f.parquet', 'manifest-00000001.json'] }],
      [lives, { units: [`${lives}/0xa.parquet`], joined: [] }],
    ]),
  )
  expect(joined.every((path) => path.startsWith(`${joinedPath(hours)}/`))).toBe(true)
})

describe('a unit', () => {
  test('has a name in its folder, with dots or without', () => {
    expect(placeOf(`${lives}/0xa.parquet`)).toEqual({ folder: lives, name: '0xa' })
    expect(nameOf(`${lives}/KXBTC-26.5.ndjson`)).toBe('KXBTC-26.5')
  })

  test('lies in the ranges whose names begin its own, the longest first', () => {
    expect(rangesOf('2026-11-20T1305')).toEqual(['2026-11', '2026-11-20', '2026-11-20T13'])
    expect(rangesOf('000019012300-000019012399')).toEqual(['00001', '000019', '0000190', '00001901'])
  })
})

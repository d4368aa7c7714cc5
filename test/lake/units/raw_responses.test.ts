import { describe, expect, test } from 'vitest'

import type { Lake } from '#lake/lake.ts'
import type { RawReply } from '#lake/raw/segment.ts'
import { listRaw, openRaw, readRaw, type RawUnit } from '#lake/units/raw_responses.ts'
import { rawPath } from '#lake/units/unit.ts'
import { lifeOf, newLake, noon } from '#test/lake/fixture.ts'

const unit = { ...lifeOf('0xa'), to: noon, params: ['token-1', 'token-2'] }
const reply = (n: number, body: string, status = 200): RawReply => ({
  host: 'venue',
  path: '/trades',
  query: `page=${n}`,
  status,
  body,
})

const storeRaw = async (lake: Lake, of: Omit<RawUnit, 'replies'>, replies: RawReply[]): Promise<void> => {
  const raw = await openRaw(lake, of)
  for (const one of replies) await raw.keep(one)
  await raw.store()
}

describe('raw replies', () => {
  test('come back in their order, byte for byte, with their unit', async () => {
    const lake = await newLake({ threads: 2 })
    const replies = [
      reply(0, '{"a":"é😀\u2028 \\u0000 \\" \u0000 \r\n\t"}'),
      reply(1, ''),
      reply(2, 'null'),
      reply(1, 'the same was asked twice'),
      reply(3, '<html>502</html>', 502),
      ...Array.from({ length: 300 }, (_, n) => reply(n, `[${n}]`)),
    ]
    await storeRaw(lake, { unit: { ...unit, forceRefresh: true }, at: noon + 1 }, replies)
    expect(await listRaw(lake, 'venue_quotes')).toEqual([rawPath(unit)])
    expect(await readRaw(lake, rawPath(unit))).toEqual({ unit, at: noon + 1, replies })
  })

  test('have a replacement character in place of half a surrogate pair, which UTF-8 does not have', async () => {
    const lake = await newLake()
    await storeRaw(lake, { unit, at: noon }, [reply(0, '["\ud83d"]')])
    expect((await readRaw(lake, rawPath(unit))).replies).toEqual([reply(0, '["\ufffd"]')])
  })

  test('come back with what identifies their request; files of earlier versions hold GETs alone', async () => {
    const lake = await newLake()
    const replies = [
      { ...reply(0, '{}'), method: 'POST', digest: 'ab12' },
      { ...reply(1, '{}'), method: 'POST' },
    ]
    await storeRaw(lake, { unit, at: noon }, replies)
    expect((await readRaw(lake, rawPath(unit))).replies).toEqual(replies)

    const path = 'raw/venue_quotes/old.ndjson.zst'
    const connection = await lake.writer.connect()
    await connection.run(
      `copy (select 0 as n, 0 as piece, 'unit' as host, '' as path, '' as query, 0 as status, $header as body
         union all select 1, 0, 'venue', '/trades', 'page=2', 200, '[]')
       to '${lake.local.locate(path)}' (format json, compression zstd)`,
      { header: JSON.stringify({ unit, at: noon }) },
    )
    expect((await readRaw(lake, path)).replies).toEqual([reply(2, '[]')])
  })

  test('may be big: a body of 12 million characters and many of a million fit into little memory', async () => {
    const lake = await newLake({ threads: 2, memory: '512MB' })
    // The first is cut into pieces, at places that fall between the halves of its surrogate pairs.
    const replies = [reply(0, `"${'😀\n'.repeat(4_000_000)}`), ...[1, 2, 3].map((n) => reply(n, String(n).repeat(1e6)))]
    await storeRaw(lake, { unit, at: noon }, replies)
    const back = await readRaw(lake, rawPath(unit))
    expect(back.replies.map(({ query, body }) => [query, body.length])).toEqual([
      ['page=0', 12_000_001],
      ['page=1', 1_000_000],
      ['page=2', 1_000_000],
      ['page=3', 1_000_000],
    ])
    expect(back.replies.every(({ body }, n) => body === replies[n]?.body)).toBe(true)
  })

  test('of another origin are refused by path', async () => {
    const lake = await newLake()
    await storeRaw(lake, { unit, at: noon }, [])
    expect(await readRaw(lake, rawPath(unit))).toEqual({ unit, at: noon, replies: [] })
    await lake.local.put('raw/venue_quotes/alien.ndjson.zst', (await lake.local.get(rawPath(unit))) ?? Buffer.of())
    const connection = await lake.writer.connect()
    await connection.run(
      `copy (select 0 as n, 0 as piece, 'venue' as host, '/x' as path, '' as query, 200 as status, '{}' as body)
       to '${lake.local.locate('raw/venue_quotes/alien.ndjson.zst')}' (format json, compression zstd)`,
    )
    await expect(readRaw(lake, 'raw/venue_quotes/alien.ndjson.zst')).rejects.toThrow(
      'raw/venue_quotes/alien.ndjson.zst: the first line is not its unit; expected a file of raw responses',
    )
  })
})

import { expect, test } from 'vitest'
import { z } from 'zod'

import { parseRows } from '#ingest/parse/rows.ts'
import type { RejectedRow } from '#ingest/source.ts'
import type { Lake } from '#lake/lake.ts'
import { storeUnit } from '#lake/units/store_unit.ts'
import { authorIds } from '#sources/social/author_ids.ts'
import { mentionsIn } from '#sources/social/mentions.ts'
import { rowsOfPosts, type ReadPost } from '#sources/social/post_rows.ts'
import { shownIn, thing, type Thing } from '#sources/social/reddit/thing.ts'
import { storeAssets } from '#sources/social/store_assets.ts'
import { newLake } from '#test/lake/fixture.ts'
import { scored } from '#test/pipeline/social/scored.ts'
import { sized } from '#test/run/sized.ts'
import { shippedAssets } from '#text/dictionary/shipped.ts'
import { DAY, HOUR, type Micros } from '#time.ts'

import { isRecorded, recordedLines } from './files.ts'

const folder = 'anatosun__reddit-cryptocurrency-analysis/reddit_crypto'
const hash = authorIds('a-secret-of-an-installation-in-tests')
const instant = (text: string): Micros => Date.parse(`${text}Z`) * 1000
const begin = instant('2022-05-06T06:00:00')
const clock = begin + sized(7, 7, 25) * DAY

type Line = { id: string; sub: string; author: string | null; at: number; score: number; body: string }

/** The recorded posts and comments in the form of Reddit's listings. */
function recordedThings(): unknown[] {
  const shared = ({ author, at, score, sub }: Line) => ({ author, created_utc: at, score, subreddit: sub })
  const linesOf = <T extends object>(name: string): (Line & T)[] =>
    recordedLines(`${folder}_${name}.jsonl.gz`).map((line) => JSON.parse(line) as Line & T)
  const posts = linesOf<{ n: number; title: string }>('posts_2022-04-15_05-31').map((line) => ({
    kind: 't3',
    data: {
      ...shared(line),
      name: `t3_${line.id}`,
      title: line.title,
      selftext: line.body,
      num_comments: line.n,
    },
  }))
  const comments = linesOf<{ post: string }>('comments_2022-05-06_31').map((line) => ({
    kind: 't1',
    data: { ...shared(line), name: `t1_${line.id}`, body: line.body, parent_id: `t3_${line.post}` },
  }))
  return [...posts, ...comments]
}

/** Stores the things in units of a day, as readings of their listings at its end. */
async function storeDays(lake: Lake, things: readonly Thing[]): Promise<void> {
  const days = new Map<Micros, ReadPost[]>()
  for (const post of shownIn(things, clock, hash).posts) {
    const day = post.ts - (post.ts % DAY)
    const posts = days.get(day) ?? []
    posts.push(post)
    days.set(day, posts)
  }
  const mentionsOf = await lake.read((reader) => mentionsIn(reader, begin - 30 * DAY))
  for (const [day, posts] of days) {
    const [from, to] = [day + DAY, day + DAY]
    const unit = {
      source: 'reddit_listings',
      kind: 'observation',
      part: 'reddit',
      key: '',
      from,
      to,
      params: [],
    } as const
    const rows = rowsOfPosts(posts, mentionsOf, from)
    const contents = {
      rejected: [],
      precedence: 10,
      state: 'done',
      to,
      proof: 'recorded',
      asked: [],
      checkedAt: to,
    } as const
    await storeUnit(lake, { ...unit, params: [] }, { ...contents, rejected: [], asked: [], rows })
  }
}

const rowsShape = z.array(z.tuple([z.string(), z.number(), z.number(), z.number()]))
type Alert = { symbol: string; at: Micros; lift: number; p: number }

/** The bursts of the assets that most authors name, without those within a day of another, unless the lift doubles. */
async function alertsOf(lake: Lake, n_assets: number): Promise<Alert[]> {
  const query = await scored(lake, clock, ['metrics.bursts'])
  const rows = await query(
    `with busiest as (
       select symbol from core.mentions where symbol <> '*'
       group by symbol order by count(distinct author) desc, symbol limit ${n_assets})
     select symbol, epoch_us(ts)::double, lift, p from metrics.bursts semi join busiest using (symbol)
     where ts >= make_timestamp(${begin}) order by ts, p`,
  )
  const alerts = new Map<string, Alert[]>()
  for (const [symbol, at, lift, p] of rowsShape.parse(rows)) {
    const own = alerts.get(symbol) ?? []
    const last = own.at(-1)
    const alert = { symbol, at, lift, p }
    if (last === undefined || at - last.at >= DAY || lift >= 2 * last.lift) own.push(alert)
    alerts.set(symbol, own)
  }
  return [...alerts.values()].flat().toSorted((a, b) => a.at - b.at || a.p - b.p)
}

test.skipIf(!isRecorded)(
  'the collapse of May 2022 gives bursts of LUNA and UST, then of USDT, and few others',
  async () => {
    const rejected: RejectedRow[] = []
    const recorded = recordedThings()
    const parsed = parseRows(recorded, thing, { dataset: 'posts', path: '', rejected })
    const things = parsed.filter(({ data }) => data.created_utc <= clock)
    expect(rejected.length).toBeLessThanOrEqual(recorded.length / 100)
    const lake = await newLake()
    await storeAssets(lake, shippedAssets(), instant('2022-04-01T00:00:00'), [])
    await storeDays(lake, things)
    const alerts = await alertsOf(lake, 16)
    const [first] = alerts
    expect(['LUNA', 'UST']).toContain(first?.symbol)
    expect(Math.abs((first?.at ?? 0) - instant('2022-05-08T14:00:00'))).toBeLessThanOrEqual(12 * HOUR)
    expect(new Date((first?.at ?? 0) / 1000).toISOString().slice(0, 10)).toBe('2022-05-08')
    const tether = alerts.filter(({ symbol }) => symbol === 'USDT')
    expect(tether.map(({ at }) => new Date(at / 1000).toISOString().slice(0, 10))[0]).toBe('2022-05-12')
    expect(alerts.length).toBeLessThanOrEqual(10)
  },
)

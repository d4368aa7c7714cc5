import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import type { World } from '#sim/markets/types.ts'
import { createWorld, squeezed } from '#sim/markets/world.ts'
import { openLive, type Live } from '#test/pipeline/live.ts'
import { machineClock, type Micros } from '#time.ts'

/**
 * The seconds from a match to its volume in `/v1/pm-markets`, with pushed trades and with polling alone:
 * `npm run bench -- live [--scale 0.3] [--squeeze 2000] [--push 120] [--polling 600] [--grace 480] [--only push]`. The
 * whole pipeline follows a simulated world at real speed, which is as busy as a venue after `now`. A match counts if it
 * was made at least `grace` seconds before the end; one that is not seen in a volume by then is late beyond every
 * bound. Polled rows arrive many at a time and with holes, so some are never identified. The stages of the served
 * matches follow: until the instant of their publication, until its snapshot is published, and until it is served. The
 * first contains the venue's delay, 1.3 to 2.8 seconds, where trades are pushed. The last line is
 * `ratio seconds <p95 of pushed matches>`.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.3' },
    squeeze: { type: 'string', default: '2000' },
    push: { type: 'string', default: '120' },
    polling: { type: 'string', default: '600' },
    grace: { type: 'string', default: '480' },
    only: { type: 'string' },
  },
})
const [seed, scale, squeeze] = [1, Number(values.scale), Number(values.squeeze)]
const world = squeezed(createWorld({ seed, scale }), squeeze)

/** The takers' rows of a market in order of time: instants in seconds, and cash in millionths. */
type Tape = { ts_s: number[]; cash: number[] }

function tapesOf({ matches, fills, markets }: World): Map<string, Tape> {
  const tapes = new Map<string, Tape>()
  for (let match = 0; match < matches.length; match += 1) {
    const market = markets[matches.market[match] ?? -1]
    if (market === undefined) continue
    const id = `polymarket:${market.conditionId}`
    const tape = tapes.get(id) ?? { ts_s: [], cash: [] }
    tape.ts_s.push(matches.ts_s[match] ?? 0)
    tape.cash.push(fills.cash[matches.firstFill[match] ?? 0] ?? 0)
    tapes.set(id, tape)
  }
  return tapes
}
const tapes = tapesOf(world)
const day_s = 86_400
const cent = 10_000

/** A market as it was served last: its instant and volume, and the rows that were served since the beginning. */
type Served = { asOf: Micros; volume_usd: number; seen: Set<number> }
const mostOpen = 12

/**
 * The new rows whose cash is the change of a served volume; undefined if there are none. Rows that left the day are
 * added back. A row may be served before an older one.
 */
function newRows({ ts_s, cash }: Tape, before: Served, asOf: Micros, volume_usd: number): number[] | undefined {
  const left = ts_s.flatMap((at_s, n) =>
    isIn(at_s, before.asOf / 1e6 - day_s, asOf / 1e6 - day_s) ? [cash[n] ?? 0] : [],
  )
  const change = (volume_usd - before.volume_usd) * 1e6 + left.reduce((sum, one) => sum + one, 0)
  const open = ts_s.flatMap((at_s, n) => (isIn(at_s, begun_s, asOf / 1e6) && !before.seen.has(n) ? [n] : []))
  const cashOf = (n: number): number => cash[n] ?? 0
  return firstOf(open, cashOf, change) ?? subsetOf(open.slice(0, mostOpen), cashOf, change)
}

const isIn = (at_s: number, after_s: number, to_s: number): boolean => at_s > after_s && at_s <= to_s

/** The rows up to some place whose cash is a sum: polled rows arrive many at a time, and mostly in order. */
function firstOf(rows: readonly number[], cashOf: (row: number) => number, sum: number): number[] | undefined {
  let total = 0
  for (const [place, row] of rows.entries()) {
    total += cashOf(row)
    if (Math.abs(total - sum) <= 1.01 * cent) return rows.slice(0, place + 1)
  }
  return undefined
}

function subsetOf(rows: readonly number[], cashOf: (row: number) => number, sum: number): number[] | undefined {
  for (let bits = 1; bits < 2 ** rows.length; bits += 1) {
    const chosen = rows.filter((_, place) => (bits >> place) % 2 === 1)
    if (Math.abs(chosen.reduce((total, row) => total + cashOf(row), 0) - sum) <= 1.01 * cent) return chosen
  }
  return undefined
}

let begun_s = 0

const rowsShape = z.array(z.object({ id: z.string(), volume_24h: z.number() }))

/** The seconds of a match in each stage, until it was served. */
type Stages = Record<'publication' | 'build' | 'answer', number>

/** The seconds until each match of a time was served, Infinity if it was not, and the stages of those that were. */
async function watch(
  live: Live,
  { seconds, grace_s, home }: { seconds: number; grace_s: number; home: string },
): Promise<{ taken: number[]; stages: Stages[] }> {
  const begun = live.upstream.clock()
  begun_s = begun / 1e6
  const end = begun + seconds * 1e6
  const served = new Map<string, Served>()
  const taken = new Map<string, number>()
  const stages: Stages[] = []
  let stamp = ''
  while (live.upstream.clock() < end) {
    const response = await live.ask('/pm-markets?status=open&limit=1000')
    const now = live.upstream.clock()
    const body = await response.text()
    const shown = response.headers.get('x-data-as-of') ?? ''
    const asOf = Date.parse(shown) * 1000
    if (shown !== stamp) {
      const pulse = live.service.marts.current('pulse')
      const isShown = pulse !== null && Math.floor(pulse.asOf / 1000) * 1000 === asOf
      const waited = note(body, { asOf, now, served, taken })
      const published = isShown ? await publishedAt(live, join(home, 'marts', `${pulse.id}.duckdb`)) : Number.NaN
      const [build, answer] = [(published - asOf) / 1e6, (now - published) / 1e6]
      if (isShown) stages.push(...waited.map((publication) => ({ publication, build, answer })))
    }
    stamp = shown
    await sleep(100)
  }
  const all = [...served.keys()].flatMap((id) => {
    const rows = tapes.get(id)?.ts_s ?? []
    const isCounted = (at_s: number): boolean => isIn(at_s, begun_s, end / 1e6 - grace_s)
    return rows.flatMap((at_s, n) => (isCounted(at_s) ? [taken.get(`${id} ${n}`) ?? Infinity] : []))
  })
  return { taken: all.toSorted((a, b) => a - b), stages }
}

/** The instant of the world at which a snapshot was published. */
const publishedAt = async ({ upstream }: Live, file: string): Promise<Micros> =>
  (await stat(file)).mtimeMs * 1_000 + upstream.clock() - machineClock()

type Watching = { asOf: Micros; now: Micros; served: Map<string, Served>; taken: Map<string, number> }

/** Notes the new matches of an answer. Returns the seconds from each to the instant of its publication. */
function note(body: string, { asOf, now, served, taken }: Watching): number[] {
  const waited: number[] = []
  for (const { id, volume_24h } of rowsShape.parse(JSON.parse(body))) {
    const tape = tapes.get(id)
    const before = served.get(id)
    if (tape === undefined) continue
    if (before === undefined) {
      served.set(id, { asOf, volume_usd: volume_24h, seen: new Set() })
      continue
    }
    for (const row of newRows(tape, before, asOf, volume_24h) ?? []) {
      before.seen.add(row)
      taken.set(`${id} ${row}`, now / 1e6 - (tape.ts_s[row] ?? 0))
      waited.push(asOf / 1e6 - (tape.ts_s[row] ?? 0))
    }
    before.asOf = asOf
    before.volume_usd = volume_24h
  }
  return waited
}

async function measure(name: string, { seconds, grace_s, without }: Phase): Promise<number> {
  const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
  const live = await openLive({
    home,
    seed,
    scale,
    squeeze,
    speed: 1,
    isReal: true,
    ...(without === undefined ? {} : { without }),
  })
  try {
    const { taken, stages } = await watch(live, { seconds, grace_s, home })
    const at = (share: number): number => quantile(taken, share)
    const n_late = taken.filter((one) => one === Infinity).length
    const figures = [0.5, 0.9, 0.95].map((share) => `p${100 * share} ${at(share).toFixed(2)} s`)
    console.log(`${name}: ${taken.length} matches, ${figures.join(', ')}, ${n_late} not seen`)
    for (const stage of ['publication', 'build', 'answer'] as const) {
      const own = stages.map((one) => one[stage]).toSorted((a, b) => a - b)
      console.log(`  ${stage}: p50 ${quantile(own, 0.5).toFixed(2)} s, p95 ${quantile(own, 0.95).toFixed(2)} s`)
    }
    return at(0.95)
  } finally {
    await live.close()
    await rm(home, { recursive: true, force: true })
  }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN

type Phase = { seconds: number; grace_s: number; without?: string }

const push = { seconds: Number(values.push), grace_s: 30 }
const polling = { seconds: Number(values.polling), grace_s: Number(values.grace), without: 'polymarket_push' }
const pushed_s = values.only === 'polling' ? Number.NaN : await measure('push', push)
if (values.only !== 'push') await measure('polling alone', polling)
if (values.only !== 'polling') console.log(`ratio seconds ${pushed_s.toFixed(2)}`)

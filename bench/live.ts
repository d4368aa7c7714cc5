import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import type { World } from '#sim/markets/types.ts'
import { createWorld, squeezed } from '#sim/markets/world.ts'
import { openLive, type Live } from '#test/pipeline/live.ts'
import type { Micros } from '#time.ts'

/**
 * The seconds from a match to its volume in `/v1/pm-markets`, with pushed trades and with polling alone: `npm run bench
 * -- live [--scale 0.3] [--squeeze 2000] [--push 120] [--polling 600] [--grace 480] [--only push]`. The whole pipeline follows a
 * simulated world at real speed, which is as busy as a venue after `now`. A match counts if it was made at least
 * `grace` seconds before the end; one that is not served by then is late beyond every bound. The last line is
 * `ratio seconds <push p95 / polling p95>`.
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
  return subsetOf(open.slice(0, mostOpen), (n) => cash[n] ?? 0, change)
}

const isIn = (at_s: number, after_s: number, to_s: number): boolean => at_s > after_s && at_s <= to_s

function subsetOf(rows: readonly number[], cashOf: (row: number) => number, sum: number): number[] | undefined {
  for (let bits = 1; bits < 2 ** rows.length; bits += 1) {
    const chosen = rows.filter((_, place) => (bits >> place) % 2 === 1)
    if (Math.abs(chosen.reduce((total, row) => total + cashOf(row), 0) - sum) <= 1.01 * cent) return chosen
  }
  return undefined
}

let begun_s = 0

const rowsShape = z.array(z.object({ id: z.string(), volume_24h: z.number() }))

/** The seconds until each match of a time was served; Infinity if it was not. */
async function watch(live: Live, seconds: number, grace_s: number): Promise<number[]> {
  const begun = live.upstream.clock()
  begun_s = begun / 1e6
  const end = begun + seconds * 1e6
  const served = new Map<string, Served>()
  const taken = new Map<string, number>()
  let stamp = ''
  while (live.upstream.clock() < end) {
    const response = await live.ask('/pm-markets?status=open&limit=1000')
    const now = live.upstream.clock()
    const body = await response.text()
    const shown = response.headers.get('x-data-as-of') ?? ''
    if (shown !== stamp) note(body, { asOf: Date.parse(shown) * 1000, now, served, taken })
    stamp = shown
    await sleep(100)
  }
  const all = [...served.keys()].flatMap((id) => {
    const rows = tapes.get(id)?.ts_s ?? []
    const isCounted = (at_s: number): boolean => isIn(at_s, begun_s, end / 1e6 - grace_s)
    return rows.flatMap((at_s, n) => (isCounted(at_s) ? [taken.get(`${id} ${n}`) ?? Infinity] : []))
  })
  return all.toSorted((a, b) => a - b)
}

type Watching = { asOf: Micros; now: Micros; served: Map<string, Served>; taken: Map<string, number> }

function note(body: string, { asOf, now, served, taken }: Watching): void {
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
    }
    before.asOf = asOf
    before.volume_usd = volume_24h
  }
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
    const taken = await watch(live, seconds, grace_s)
    const at = (share: number): number => taken[Math.floor(share * (taken.length - 1))] ?? Number.NaN
    const n_late = taken.filter((one) => one === Infinity).length
    const figures = [0.5, 0.9, 0.95].map((share) => `p${100 * share} ${at(share).toFixed(2)} s`)
    console.log(`${name}: ${taken.length} matches, ${figures.join(', ')}, ${n_late} not served`)
    return at(0.95)
  } finally {
    await live.close()
    await rm(home, { recursive: true, force: true })
  }
}

type Phase = { seconds: number; grace_s: number; without?: string }

const push = { seconds: Number(values.push), grace_s: 30 }
const polling = { seconds: Number(values.polling), grace_s: Number(values.grace), without: 'polymarket_push' }
const pushed_s = values.only === 'polling' ? Number.NaN : await measure('push', push)
const polled_s = values.only === 'push' ? Number.NaN : await measure('polling alone', polling)
console.log(`ratio seconds ${(pushed_s / polled_s).toFixed(4)}`)

import { writeFile } from 'node:fs/promises'

import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { scoreWorld } from '#test/skill/build.ts'

/**
 * `npx tsx scripts/calibration.ts [worlds]`: scores hard simulated worlds, and draws closing prices against the share
 * of outcomes that happened, as docs/images/calibration.svg. Prints the figures and the guards of each world.
 */
const binShape = z.object({
  kind: z.string(),
  bin: z.number(),
  n_markets: z.number(),
  close: z.number(),
  paid: z.number(),
})
type Bin = z.infer<typeof binShape>

/**
 * The position of a market is the close of its first scored fill, as in the guards. The mean close of a market would
 * make prices look too moderate.
 */
const sql = `
  with fills as (
    select f.kind, f.market_id, struct_pack(a := f.ts, b := f.trader, c := f.outcome, d := f.side) as place,
      o.payout::double as paid, case when f.outcome = 0 then f.close_price else 1 - f.close_price end::double as close
    from metrics.clv_fills f
    join core.outcomes o on o.market_id = f.market_id and o.outcome = 0
    where f.left_out is null and not f.is_resolved and o.payout is not null
  ),
  firsts as (
    select kind, market_id, arg_min(close, place) as close, any_value(paid) as paid from fills group by kind, market_id
  )
  select kind, least(floor(close * 10), 9)::integer as bin, count(*)::integer as n_markets, sum(close) as close,
    sum(paid) as paid
  from firsts group by all order by all`

const guardsSql = `select kind, n_markets::integer as n_markets, n_clusters::integer as n_clusters, gap, se, slope,
  slope_se, extreme_share::double as extreme_share, is_held from metrics.clv_guards order by kind`

const titles: Record<string, string> = {
  event_start: 'Closes at a scheduled start',
  markout_24h: 'Markouts after 24 h',
}
const size = { width: 760, height: 400 }
const box = { top: 60, height: 280, width: 280 }

function pictureOf(n_worlds: number, bins: readonly Bin[]): string {
  const panels = Object.entries(titles).flatMap(([kind, title], n) =>
    panel(
      70 + n * 360,
      title,
      bins.filter((bin) => bin.kind === kind),
    ),
  )
  const head = `Closing prices and the share of outcomes that happened: simulated, ${n_worlds} hard worlds`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif">`,
    `<title>${head}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    text(size.width / 2, 24, head, 14),
    ...panels,
    text(size.width / 2, size.height - 8, 'bars: Wilson 95 % intervals; numbers: markets, each once', 11),
    '</svg>\n',
  ].join('\n')
}

function panel(left: number, title: string, bins: readonly Bin[]): string[] {
  const x = (value: number): number => left + value * box.width
  const y = (value: number): number => box.top + (1 - value) * box.height
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((mark) => [
    line(x(0), y(mark), x(1), y(mark), '#dddddd'),
    text(left - 18, y(mark) + 4, String(mark), 11),
    text(x(mark), y(0) + 18, String(mark), 11),
  ])
  const dots = bins.flatMap(({ close, paid, n_markets }) => {
    const [lower, upper] = wilson(paid, n_markets)
    return [
      line(x(close), y(lower), x(close), y(upper), '#0072b2'),
      `<circle cx="${round(x(close))}" cy="${round(y(paid))}" r="4" fill="#0072b2"/>`,
      text(x(close), y(upper) - 5, String(n_markets), 10),
    ]
  })
  return [
    text(left + box.width / 2, box.top - 12, title, 13),
    ...grid,
    line(x(0), y(0), x(1), y(1), '#999999'),
    ...dots,
    text(left + box.width / 2, y(0) + 36, 'close', 12),
    text(left + 60, box.top + 14, 'share that happened', 11),
  ]
}

/** Wilson's 95 % interval of a share. */
function wilson(share: number, n: number): [number, number] {
  const z2 = 1.96 ** 2
  const middle = (share + z2 / (2 * n)) / (1 + z2 / n)
  const half = (1.96 * Math.sqrt((share * (1 - share)) / n + z2 / (4 * n * n))) / (1 + z2 / n)
  return [middle - half, middle + half]
}

const round = (value: number): number => Math.round(value * 10) / 10
const text = (x: number, y: number, what: string, px: number): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="middle" font-size="${px}" fill="#222222">${what}</text>`
const line = (x1: number, y1: number, x2: number, y2: number, color: string): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}" stroke-width="2"/>`

const n_worlds = Number(process.argv[2] ?? 3)
const found: Bin[] = []
for (let seed = 1; seed <= n_worlds; seed++) {
  const world = createWorld({ seed, isHard: true })
  const wanted = ['metrics.clv_fills', 'metrics.clv_guards', 'core.outcomes']
  await scoreWorld({ world, at: world.now, wanted }, async (connection) => {
    found.push(...z.array(binShape).parse((await connection.runAndReadAll(sql)).getRowObjectsJS()))
    console.table((await connection.runAndReadAll(guardsSql)).getRowObjectsJS())
  })
}
const keys = [...new Set(found.map(({ kind, bin }) => `${kind} ${bin}`))].sort()
const bins = keys.map((key): Bin => {
  const own = found.filter(({ kind, bin }) => `${kind} ${bin}` === key)
  const sum = (of: (one: Bin) => number): number => own.reduce((total, one) => total + of(one), 0)
  const n_markets = sum((one) => one.n_markets)
  const [first] = own
  if (first === undefined) throw new Error(`bin ${key}: empty; expected a market`)
  return {
    ...first,
    n_markets,
    close: sum(({ close }) => close) / n_markets,
    paid: sum(({ paid }) => paid) / n_markets,
  }
})
console.table(bins)
await writeFile(new URL('../docs/images/calibration.svg', import.meta.url), pictureOf(n_worlds, bins))

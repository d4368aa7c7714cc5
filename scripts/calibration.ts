import { writeFile } from 'node:fs/promises'

import { z } from 'zod'

import { createWorld } from '#sim/markets/world.ts'
import { scoreWorld } from '#test/skill/build.ts'

/**
 * `npx tsx scripts/calibration.ts [seed]`: scores the demo's world, and draws closing prices against the share of
 * outcomes that happened, as docs/images/calibration.svg. Prints the figures and the guards.
 */
const binShape = z.object({
  kind: z.string(),
  bin: z.number(),
  n_markets: z.number(),
  n_events: z.number(),
  close: z.number(),
  paid: z.number(),
  error: z.number().nullable(),
})
type Bin = z.infer<typeof binShape>

/** The position of a market is the mean close of its scored fills; markets of one event are one observation. */
const sql = `
  with markets as (
    select f.kind, f.event_id, f.market_id, any_value(o.payout)::double as paid,
      avg(case when f.outcome = 0 then f.close_price else 1 - f.close_price end)::double as close
    from metrics.clv_fills f
    join core.outcomes o on o.market_id = f.market_id and o.outcome = 0
    where f.left_out is null and o.payout is not null
    group by f.kind, f.event_id, f.market_id
  ),
  placed as (select *, least(floor(close * 10), 9)::integer as bin from markets),
  means as (
    select kind, bin, count(*)::integer as n_markets, avg(close) as close, avg(paid) as paid from placed group by kind, bin
  ),
  errors as (
    select kind, bin, count(*)::integer as n_events, sum(pow(off, 2)) as squared
    from (
      select p.kind, p.bin, p.event_id, sum(p.paid - m.paid) as off
      from placed p join means m using (kind, bin) group by p.kind, p.bin, p.event_id
    )
    group by kind, bin
  )
  select m.*, e.n_events, sqrt(e.n_events / nullif(e.n_events - 1, 0) * e.squared) / m.n_markets as error
  from means m join errors e using (kind, bin) order by kind, bin`

const guardsSql = `select kind, subset, n_markets::integer as n_markets, gap, se, extreme_share::double as extreme_share,
  is_held from metrics.clv_guards order by kind, subset`

const titles: Record<string, string> = {
  event_start: 'Closes at a scheduled start',
  markout_24h: 'Markouts after 24 h',
}
const size = { width: 760, height: 400 }
const box = { top: 60, height: 280, width: 280 }

function pictureOf(seed: number, bins: readonly Bin[]): string {
  const panels = Object.entries(titles).flatMap(([kind, title], n) =>
    panel(
      70 + n * 360,
      title,
      bins.filter((bin) => bin.kind === kind),
    ),
  )
  const head = `Closing prices and the share of outcomes that happened (simulated world, seed ${seed})`
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif">`,
    `<title>${head}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    text(size.width / 2, 24, head, 14),
    ...panels,
    text(size.width / 2, size.height - 8, 'bars: 95 % intervals, clustered by event; the area of a dot: markets', 11),
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
  const most = Math.max(...bins.map(({ n_markets }) => n_markets))
  const dots = bins.flatMap(({ close, paid, error, n_markets }) => [
    ...(error === null
      ? []
      : [
          line(x(close), y(Math.max(paid - 1.96 * error, 0)), x(close), y(Math.min(paid + 1.96 * error, 1)), '#0072b2'),
        ]),
    `<circle cx="${round(x(close))}" cy="${round(y(paid))}" r="${round(3 + 6 * Math.sqrt(n_markets / most))}" fill="#0072b2"/>`,
  ])
  return [
    text(left + box.width / 2, box.top - 12, title, 13),
    ...grid,
    line(x(0), y(0), x(1), y(1), '#999999'),
    ...dots,
    text(left + box.width / 2, y(0) + 36, 'close', 12),
  ]
}

const round = (value: number): number => Math.round(value * 10) / 10
const text = (x: number, y: number, what: string, px: number): string =>
  `<text x="${round(x)}" y="${round(y)}" text-anchor="middle" font-size="${px}" fill="#222222">${what}</text>`
const line = (x1: number, y1: number, x2: number, y2: number, color: string): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}" stroke-width="2"/>`

const seed = Number(process.argv[2] ?? 1)
const world = createWorld({ seed })
const wanted = ['metrics.clv_fills', 'metrics.clv_guards', 'core.outcomes']
await scoreWorld({ world, at: world.now, wanted }, async (connection) => {
  const bins = z.array(binShape).parse((await connection.runAndReadAll(sql)).getRowObjectsJS())
  console.table(bins)
  console.table((await connection.runAndReadAll(guardsSql)).getRowObjectsJS())
  await writeFile(new URL('../docs/images/calibration.svg', import.meta.url), pictureOf(seed, bins))
})

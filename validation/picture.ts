import { scores, type Score } from './measures.ts'
import { LEAST_TRADERS, type Figures, type Report } from './report.ts'

const looks: Record<Score, { name: string; color: string }> = {
  clv: { name: 'CLV', color: '#0072b2' },
  pnl: { name: 'raw PnL', color: '#d55e00' },
  win_rate: { name: 'raw win rate', color: '#009e73' },
}
const size = { width: 1080, height: 400 }
const plot = { top: 74, bottom: 330 }

/** The report as a picture (SVG): both measures of each score with their intervals, and results by decile. */
export function pictureOf(report: Report): string {
  const { at, until, n_eligible, n_resamples, spearman, top_decile_roi, deciles } = report
  const all = spearman.find(({ kind }) => kind === 'all')
  const head = `Ranks as of ${at}, results until ${until}: ${n_eligible} eligible traders`
  const body = [
    label(size.width / 2, 26, head, { size: 15, weight: 'bold' }),
    ...whiskers(70, 300, ['Rank correlation (Spearman)', 'with realized closing line value'], all?.figures, 1),
    ...whiskers(
      390,
      620,
      ['Mean return of the top decile, %', 'of markets entered after'],
      top_decile_roi?.figures,
      100,
    ),
    label(70, size.height - 14, `bars: 95 % intervals, from ${n_resamples} resamples by trader`, { anchor: 'start' }),
    ...curves(710, 1040, ['Mean realized closing line value, points', 'by decile of rank, the best first'], deciles),
  ]
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size.width} ${size.height}" font-family="sans-serif">`,
    `<title>${head}</title>`,
    `<rect width="${size.width}" height="${size.height}" fill="#ffffff"/>`,
    ...body,
    '</svg>\n',
  ].join('\n')
}

type Scale = (value: number) => number

/** A point and its interval for each score. */
function whiskers(left: number, right: number, title: string[], figures: Figures | undefined, times: number): string[] {
  if (figures === undefined) return missing(left, right, title)
  const found = scores.flatMap((score, place) => {
    const figure = figures[score]
    return figure === null ? [] : [{ score, place, figure }]
  })
  const bounds = found.flatMap(({ figure: { value, lower, upper } }) => [value, lower ?? value, upper ?? value])
  const { marks, y } = axis(left, right, [0, ...bounds.map((bound) => bound * times)])
  const step = (right - left) / scores.length
  const drawn = found.flatMap(({ score, place, figure: { value, lower, upper } }) => {
    const x = left + step * (place + 0.5)
    const { color } = looks[score]
    const interval = lower === null ? [] : [line(x, y(lower * times), x, y(upper * times), color, 3)]
    return [
      ...interval,
      `<circle cx="${round(x)}" cy="${round(y(value * times))}" r="6" fill="${color}"/>`,
      label(x + 10, y(value * times) + 4, (value * times).toFixed(times === 1 ? 2 : 1), { anchor: 'start' }),
    ]
  })
  const below = scores.map((score, place) =>
    label(left + step * (place + 0.5), plot.bottom + 20, looks[score].name, {}),
  )
  return [...heading(left, right, title), ...marks, ...drawn, ...below]
}

/** A line over the deciles for each score. */
function curves(left: number, right: number, title: string[], deciles: Report['deciles']): string[] {
  if (deciles === null) return missing(left, right, title)
  const values = scores.flatMap((score) => deciles[score].filter((mean) => mean !== null))
  const { marks, y } = axis(left, right, [0, ...values])
  const step = (right - left) / 10
  const x: Scale = (decile) => left + step * (decile + 0.5)
  const drawn = scores.flatMap((score) => {
    const points = deciles[score].flatMap((mean, decile) =>
      mean === null ? [] : [`${round(x(decile))},${round(y(mean))}`],
    )
    const { color } = looks[score]
    return [
      `<polyline points="${points.join(' ')}" fill="none" stroke="${color}" stroke-width="2.5"/>`,
      ...points.map((point) => `<circle cx="${point.replace(',', '" cy="')}" r="3.5" fill="${color}"/>`),
    ]
  })
  const below = Array.from({ length: 10 }, (_, decile) => label(x(decile), plot.bottom + 20, String(decile + 1), {}))
  const legend = scores.flatMap((score, place) => [
    line(right - 140, plot.top + 12 + 18 * place, right - 118, plot.top + 12 + 18 * place, looks[score].color, 3),
    label(right - 112, plot.top + 16 + 18 * place, looks[score].name, { anchor: 'start' }),
  ])
  return [
    ...heading(left, right, title),
    ...marks,
    ...drawn,
    ...below,
    label((left + right) / 2, plot.bottom + 42, 'decile', {}),
    ...legend,
  ]
}

/** An axis over some values, with ticks at round numbers and a stronger zero. */
function axis(left: number, right: number, values: readonly number[]): { marks: string[]; y: Scale } {
  const ticks = ticksOf(Math.min(...values), Math.max(...values))
  const [low = 0, high = 1] = [ticks[0], ticks.at(-1)]
  const y: Scale = (value) => plot.bottom - ((value - low) / (high - low)) * (plot.bottom - plot.top)
  const marks = ticks.flatMap((tick) => [
    line(left, y(tick), right, y(tick), tick === 0 ? '#555555' : '#dddddd', tick === 0 ? 1.5 : 1),
    label(left - 8, y(tick) + 4, String(tick), { anchor: 'end' }),
  ])
  return { marks, y }
}

/** Four to nine round numbers around an interval. */
function ticksOf(low: number, high: number): number[] {
  const span = high - low || 1
  const power = 10 ** Math.floor(Math.log10(span / 4))
  const step = power * ([1, 2, 5].find((times) => span / (power * times) <= 6) ?? 10)
  const first = Math.floor(low / step)
  const n = Math.max(Math.ceil(high / step), first + 1) - first
  return Array.from({ length: n + 1 }, (_, index) => Number(((first + index) * step).toPrecision(12)))
}

const heading = (left: number, right: number, title: readonly string[]): string[] =>
  title.map((text, index) => label((left + right) / 2, 50 + 16 * index, text, { size: index === 0 ? 13 : 12 }))

const missing = (left: number, right: number, title: readonly string[]): string[] => [
  ...heading(left, right, title),
  label((left + right) / 2, 200, `fewer than ${LEAST_TRADERS} traders`, {}),
]

const round = (value: number): string => String(Math.round(value * 10) / 10)

const line = (x1: number, y1: number, x2: number, y2: number, color: string, width: number): string =>
  `<line x1="${round(x1)}" y1="${round(y1)}" x2="${round(x2)}" y2="${round(y2)}" stroke="${color}" stroke-width="${width}"/>`

type Style = { size?: number; anchor?: 'start' | 'middle' | 'end'; weight?: 'normal' | 'bold' }

const label = (
  x: number,
  y: number,
  text: string,
  { size: points = 12, anchor = 'middle', weight = 'normal' }: Style,
): string =>
  `<text x="${round(x)}" y="${round(y)}" font-size="${points}" text-anchor="${anchor}" font-weight="${weight}" fill="#222222">${text}</text>`

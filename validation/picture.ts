import { LEAST_TRADERS, type Figures, type Group, type Report } from './report.ts'
import { scores, targetOf, type Score, type Target } from './scores.ts'
import { simulated } from './table.ts'

const looks: Record<Score, { name: string; color: string }> = {
  clv: { name: 'CLV', color: '#0072b2' },
  raw_clv: { name: 'raw CLV', color: '#56b4e9' },
  payout: { name: 'payout', color: '#cc79a7' },
  roi: { name: 'ROI', color: '#e69f00' },
  pnl: { name: 'PnL', color: '#d55e00' },
  win_rate: { name: 'win rate', color: '#009e73' },
}
const size = { width: 1180, height: 400 }
const plot = { top: 74, bottom: 330 }
const panels: { left: number; target: Target; figure: 'spearman' | 'top_decile'; title: string }[] = [
  { left: 60, target: 'payout', figure: 'spearman', title: 'Rank correlation with the payout edge' },
  { left: 450, target: 'clv', figure: 'spearman', title: 'Rank correlation with the realized CLV' },
  { left: 840, target: 'payout', figure: 'top_decile', title: 'Payout edge of the top decile, points' },
]

/** The report as a picture (SVG): how each score predicts the payout edge and closing line value, with intervals. */
export function pictureOf(report: Report): string {
  const { at, until, n_eligible, n_resamples, groups } = report
  const head = `Ranks as of ${at}, results until ${until}: ${n_eligible} eligible traders${simulated(report)}`
  const groupOf = (target: Target): Group | undefined =>
    groups.find((group) => group.kind === 'all' && group.target === target)
  const note = `bars: 95 % intervals, from ${n_resamples} resamples of traders and of clusters (category and day)`
  const body = [
    label(size.width / 2, 26, head, { size: 15, weight: 'bold' }),
    ...panels.flatMap(({ left, target, figure, title }) => whiskers(left, title, groupOf(target), figure)),
    label(60, size.height - 14, note, { anchor: 'start' }),
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
function whiskers(left: number, title: string, group: Group | undefined, figure: 'spearman' | 'top_decile'): string[] {
  const right = left + 300
  if (group === undefined) return missing(left, right, [title])
  const figures: Figures = group[figure]
  const times = figure === 'spearman' ? 1 : targetOf[group.target].times
  const points = scores.flatMap((score, place) => {
    const scoreFigure = figures[score]
    return scoreFigure === null ? [] : [{ score, place, figure: scoreFigure }]
  })
  const bounds = points.flatMap(({ figure: { value, lower, upper } }) => [value, lower ?? value, upper ?? value])
  const { marks, y } = axis(left, right, [0, ...bounds.map((bound) => bound * times)])
  const step = (right - left) / scores.length
  const drawn = points.flatMap(({ score, place, figure: { value, lower, upper } }) => {
    const x = left + step * (place + 0.5)
    const { color } = looks[score]
    const interval = lower === null ? [] : [line(x, y(lower * times), x, y(upper * times), color, 3)]
    return [
      ...interval,
      `<circle cx="${round(x)}" cy="${round(y(value * times))}" r="5" fill="${color}"/>`,
      label(x + 7, y(value * times) - 6, (value * times).toFixed(2), { anchor: 'start', size: 10 }),
    ]
  })
  const below = scores.map((score, place) =>
    label(left + step * (place + 0.5), plot.bottom + 20, looks[score].name, { size: 11 }),
  )
  return [...heading(left, right, [title, `n = ${group.n_traders} traders`]), ...marks, ...drawn, ...below]
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

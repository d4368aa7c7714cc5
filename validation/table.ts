import type { Compared } from './measures.ts'
import type { Figures, Report } from './report.ts'

const rows: [keyof Compared<unknown>, string][] = [
  ['clv', 'closing line value'],
  ['pnl', 'raw PnL'],
  ['win_rate', 'raw win rate'],
  ['clv_minus_pnl', 'closing line value - raw PnL'],
  ['clv_minus_win_rate', 'closing line value - raw win rate'],
]

/** The report as text: a table for each measure, then the notes. */
export function tableOf(report: Report): string {
  const { at, until, n_eligible, n_resamples, spearman, top_decile_roi, deciles, cannot } = report
  const lines = [`ranks as of ${at}, results from then until ${until}: ${n_eligible} eligible traders`]
  for (const { kind, n_traders, figures } of spearman) {
    const whose = kind === 'all' ? '' : `, of kind ${kind}`
    lines.push(...block(`Spearman with the realized closing line value${whose} (${n_traders} traders)`, figures, 1, 3))
  }
  if (top_decile_roi !== null) {
    const { n_traders, figures } = top_decile_roi
    lines.push(...block(`mean return of the top decile, % (of ${n_traders} traders with returns)`, figures, 100, 1))
  }
  if (deciles !== null) {
    lines.push('', 'mean realized closing line value by decile, points, the best first')
    for (const score of ['clv', 'pnl', 'win_rate'] as const) {
      lines.push(
        cells(
          nameOf(score),
          deciles[score].map((mean) => text(mean, 1, 2)),
          7,
        ),
      )
    }
  }
  if (spearman.length > 0 || top_decile_roi !== null) {
    lines.push('', `intervals are 95 %, from ${n_resamples} resamples by trader, the same for all scores`)
  }
  if (cannot.length > 0) lines.push('', ...cannot)
  return `${lines.join('\n')}\n`
}

function block(title: string, figures: Figures, scale: number, digits: number): string[] {
  const lines = rows.map(([name, label]) => {
    const figure = figures[name]
    const { value = null, lower = null, upper = null } = figure ?? {}
    return cells(
      label,
      [value, lower, upper].map((number) => text(number, scale, digits)),
      10,
    )
  })
  return ['', title, cells('', ['value', 'lower', 'upper'], 10), ...lines]
}

const nameOf = (name: keyof Compared<unknown>): string => rows.find(([one]) => one === name)?.[1] ?? name

const cells = (label: string, values: readonly string[], width: number): string =>
  `  ${label.padEnd(34)}${values.map((value) => value.padStart(width)).join('')}`

const text = (number: number | null, scale: number, digits: number): string =>
  number === null ? '-' : (number * scale).toFixed(digits)

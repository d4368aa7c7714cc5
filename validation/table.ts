import type { Figures, Group, Report } from './report.ts'
import { nameOf, rivals, scores, targetOf, type Compared } from './scores.ts'

const rows: [keyof Compared<unknown>, string][] = [
  ...scores.map((score): [keyof Compared<unknown>, string] => [score, nameOf[score]]),
  ...rivals.map((rival): [keyof Compared<unknown>, string] => [`clv_minus_${rival}`, `CLV - ${nameOf[rival]}`]),
]

/** The report as text: a table for each group and result, then the notes. */
export function tableOf(report: Report): string {
  const { at, until, n_eligible, n_resamples, groups, cannot } = report
  const lines = [
    `ranks as of ${at}, results from then until ${until}: ${n_eligible} eligible traders${simulated(report)}`,
    ...groups.flatMap(blocks),
  ]
  if (groups.length > 0)
    lines.push(
      '',
      `intervals are 95 %, from ${n_resamples} resamples of traders and of clusters, the same for all scores`,
    )
  if (cannot.length > 0) lines.push('', ...cannot)
  return `${lines.join('\n')}\n`
}

/** A figure of a simulated world says so. */
export const simulated = ({ world }: Pick<Report, 'world'>): string => (world === 'real' ? '' : ', simulated')

function blocks({ kind, target, n_traders, spearman, top_decile }: Group): string[] {
  const { name, unit, times } = targetOf[target]
  const whose = kind === 'all' ? 'all traders' : kind
  return [
    ...block(`Spearman with the ${name}, ${whose} (${n_traders} traders)`, spearman, 1, 3),
    ...block(`${name} of the top decile, ${unit}, ${whose} (${n_traders} traders)`, top_decile, times, 2),
  ]
}

function block(title: string, figures: Figures, scale: number, digits: number): string[] {
  const lines = rows.map(([name, label]) => {
    const { value = null, lower = null, upper = null } = figures[name] ?? {}
    return cells(
      label,
      [value, lower, upper].map((number) => text(number, scale, digits)),
    )
  })
  return ['', title, cells('', ['value', 'lower', 'upper']), ...lines]
}

const cells = (label: string, values: readonly string[]): string =>
  `  ${label.padEnd(34)}${values.map((value) => value.padStart(10)).join('')}`

const text = (number: number | null, scale: number, digits: number): string =>
  number === null ? '-' : (number * scale).toFixed(digits)

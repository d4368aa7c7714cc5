const compact = new Intl.NumberFormat('en', {
  notation: 'compact',
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
})
const plain = new Intl.NumberFormat('en', { maximumFractionDigits: 6 })
const usdExact = new Intl.NumberFormat('en', { style: 'currency', currency: 'USD' })
const minus = '\u2212'

/** A number and its text. The element holds the exact value, which its title shows. */
function Figure({ value, text, exact, tone }: { value: number; text: string; exact: string; tone?: string }) {
  return (
    <data value={value} title={exact} class={tone === undefined ? 'figure' : `figure ${tone}`}>
      {text}
    </data>
  )
}

/** A missing figure. */
function None() {
  return (
    <span class="figure soft" title="No value">
      –
    </span>
  )
}

const toneOf = (value: number): string => (value > 0 ? 'gain' : value < 0 ? 'loss' : 'soft')
const signOf = (value: number): string => (value > 0 ? '+' : value < 0 ? minus : '')

/** A magnitude: 912, 48.2K, 1.2M. */
export const magnitude = (value: number): string => (value < 1_000 ? String(Math.round(value)) : compact.format(value))

/** USD, such as $1.2M. */
export const usdText = (value: number): string => `${value < 0 ? minus : ''}$${magnitude(Math.abs(value))}`

export function Usd({ value }: { value: number | null }) {
  if (value === null) return <None />
  return <Figure value={value} text={usdText(value)} exact={usdExact.format(value)} />
}

/** A profit or a loss, such as +$12.8K. */
export const pnlText = (value: number): string => `${signOf(value)}$${magnitude(Math.abs(value))}`

export function Pnl({ value }: { value: number | null }) {
  if (value === null) return <None />
  return <Figure value={value} text={pnlText(value)} exact={usdExact.format(value)} tone={toneOf(value)} />
}

/** A share of 1 in percent, such as 12.3 %. */
export const percentText = (share: number, digits = 1): string => `${(share * 100).toFixed(digits)} %`

export function Percent({ value, digits = 1 }: { value: number | null; digits?: number }) {
  if (value === null) return <None />
  return <Figure value={value} text={percentText(value, digits)} exact={plain.format(value)} />
}

/** A gain or a loss as a share of 1, in percent. */
export function Return({ value }: { value: number | null }) {
  if (value === null) return <None />
  const text = `${signOf(value)}${percentText(Math.abs(value))}`
  return <Figure value={value} text={text} exact={plain.format(value)} tone={toneOf(value)} />
}

/** Percentage points as text, with a sign. */
export const pointsText = (value: number): string => `${signOf(value)}${Math.abs(value).toFixed(1)}`

type PointsProps = { value: number | null; error?: number | null }

/**
 * A change in percentage points, such as +2.1. With a standard error its colour means that it differs from zero at the
 * level of 90 %.
 */
export function Points({ value, error = null }: PointsProps) {
  if (value === null) return <None />
  const shown = Math.abs(value).toFixed(1)
  const isZero = Number(shown) === 0 || (error !== null && Math.abs(value) < 1.645 * error)
  return (
    <Figure
      value={value}
      text={`${Number(shown) === 0 ? '' : signOf(value)}${shown}`}
      exact={`${plain.format(value)} percentage points`}
      tone={isZero ? 'soft' : toneOf(value)}
    />
  )
}

/** A number of things. */
export function Count({ value }: { value: number }) {
  return (
    <Figure
      value={value}
      text={value < 10_000 ? value.toLocaleString('en') : magnitude(value)}
      exact={plain.format(value)}
    />
  )
}

/** An amount of a token, of any magnitude. */
export function Amount({ value }: { value: number | null }) {
  if (value === null) return <None />
  const digits = Math.abs(value) >= 1 ? 2 : 4
  const text =
    Math.abs(value) >= 10_000
      ? magnitude(Math.abs(value))
      : Number(value.toPrecision(digits + 2)).toLocaleString('en', { maximumFractionDigits: 8 })
  return <Figure value={value} text={text} exact={String(value)} />
}

/** A time that passes, such as 3 h or 12 d. */
export const durationText = (s: number): string =>
  s >= 172_800
    ? `${Math.round(s / 86_400)} d`
    : s >= 5_400
      ? `${Math.round(s / 3_600)} h`
      : `${Math.max(1, Math.round(s / 60))} min`

/** An address, of which the middle is left out. */
export const shortAddress = (address: string): string =>
  address.length > 13 ? `${address.slice(0, 6)}…${address.slice(-4)}` : address

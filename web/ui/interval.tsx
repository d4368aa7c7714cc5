type IntervalProps = {
  /** The figure in words, for screen readers. */
  label: string
  value: number
  lower: number
  /** Null if the interval has a lower end only: it is drawn up to the value. */
  upper: number | null
  /** The value that chance gives. */
  chance: number
  /** The ends of the line; values beyond them are drawn at the ends. */
  bounds: readonly [number, number]
}

/** A figure with its interval on a line, beside the value of chance. It is coloured if the interval is beyond chance. */
export function Interval({ label, value, lower, upper, chance, bounds: [from, to] }: IntervalProps) {
  const place = (x: number): number => (100 * (Math.min(to, Math.max(from, x)) - from)) / (to - from)
  const tone = lower > chance ? 'gain' : upper !== null && upper < chance ? 'loss' : 'soft'
  return (
    <svg class={`interval ${tone}`} role="img" aria-label={label} viewBox="0 0 100 10" preserveAspectRatio="none">
      <path class="ground" d="M0 5h100" />
      <path class="range" d={`M${place(lower)} 5H${place(upper ?? value)}`} />
      <path class="chance" d={`M${place(chance)} 0v10`} />
      <path class="value" d={`M${place(value)} 1v8`} />
    </svg>
  )
}

/** `2026-03-19T23:20:15Z`, with up to six decimals of a second. */
export function iso(at_s: number, decimals = 0): string {
  const text = new Date(at_s * 1000).toISOString().slice(0, 19)
  return decimals === 0 ? `${text}Z` : `${text}.${String(123_456 + (at_s % 800_000)).slice(0, decimals)}Z`
}

/** A whole number of millionths as the shortest decimal text. */
export function decimal(millionths: number): string {
  const whole = Math.floor(millionths / 1e6)
  const rest = String(millionths % 1e6)
    .padStart(6, '0')
    .replace(/0+$/, '')
  return rest === '' ? String(whole) : `${whole}.${rest}`
}

import type { Overrides } from './lists.ts'
import { parseAssets } from './parse_assets.ts'

export const noOverrides: Overrides = { assets: [], track: new Set(), untrack: new Set() }

/**
 * Parses a file of overrides: lines as in `assets.psv`, which replace those of their asset, and lines of `+` or `-` and
 * an id, which track an asset or do not, whatever its rank. An asset of the file is tracked unless a line says
 * otherwise. Throws an error that names the line.
 */
export function parseOverrides(text: string): Overrides {
  const lines = text.split('\n').map((line) => line.trim())
  const idsAfter = (sign: string): string[] =>
    lines.filter((line) => line.startsWith(sign)).map((line) => line.slice(1).trim())
  // Lines of ids become empty ones, so that the numbers of lines in errors hold.
  const rest = lines.map((line) => (/^[+-]/.test(line) ? '' : line)).join('\n')
  const assets = parseAssets(rest).map((asset) => ({ ...asset, market_rank: null }))
  const [track, untrack] = [new Set(idsAfter('+')), new Set(idsAfter('-'))]
  const both = [...track].find((id) => untrack.has(id))
  if (both !== undefined) throw new Error(`overrides: ${both} with + and -; expected one of them`)
  return { assets, track, untrack }
}

/** A step of a history in one token: `amount` in units of 1e-18, money in millionths, `ts` in microseconds. */
export type Step = { kind: 'buy' | 'sell' | 'out'; ts: number; amount: bigint; usd: bigint; gas?: bigint }

/** A decimal in units of 1e-18. */
export function units(decimal: string): bigint {
  const [whole = '0', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(18, '0').slice(0, 18))
}

const millionths = (decimal: string | undefined): bigint => BigInt(Math.round(Number(decimal) * 1e6))
const micros = (text: string | undefined): number => Date.parse(text ?? '') * 1_000

/** The rows of a section of a report, whose title is followed by two lines of headers, up to an empty line. */
function section(text: string, title: string): string[][] {
  const lines = text.split(/\r?\n/)
  const start = lines.findIndex((line) => line.startsWith(title)) + 3
  const end = lines.findIndex((line, index) => index >= start && line.replaceAll(',', '') === '')
  return lines.slice(start, end < 0 ? undefined : end).map((line) => line.split(','))
}

/**
 * The steps of RP2's list of transactions. Everything that comes in is a purchase at its value with the fee. A sale has
 * its value without the fee in coins, by which the sold amount is larger. All other outflows and the fees of moves
 * leave at cost.
 */
export function eventsOf(text: string): Step[] {
  const bought = section(text, 'In-Flow Detail').map((row): Step => ({
    kind: 'buy',
    ts: micros(row[1]),
    amount: units(row[7] ?? ''),
    usd: millionths(row[11]),
  }))
  const left = section(text, 'Out-Flow Detail').map((row): Step => ({
    kind: row[5] === 'SELL' ? 'sell' : 'out',
    ts: micros(row[1]),
    amount: units(row[7] ?? '') + units(row[8] ?? ''),
    usd: millionths(row[11]),
  }))
  const moved = section(text, 'Intra-Flow Detail').map((row): Step => ({
    kind: 'out',
    ts: micros(row[1]),
    amount: units(row[10] ?? ''),
    usd: millionths(row[12]),
  }))
  const steps = [...bought, ...left, ...moved].filter(({ amount }) => amount > 0n)
  return steps.sort((a, b) => a.ts - b.ts)
}

/** A part of a lot that left, by RP2: when, since when held, how much, its cost, and the gain of a sale. */
export type GoldenRow = { ts: number; since: number; amount: bigint; cost: number; gain: number | undefined }

/** The golden rows, without income, which takes from no lot. */
export const goldenRows = (text: string): GoldenRow[] =>
  section(text, 'Gain / Loss Detail')
    .filter((row) => row[12] !== '' && row[12] !== undefined)
    .map((row) => ({
      ts: micros(row[5]),
      since: micros(row[12]),
      amount: units(row[0] ?? ''),
      cost: Number(row[16]),
      gain: row[6]?.endsWith('SELL') === true ? Number(row[3]) : undefined,
    }))

import type { Snapshot } from '#snapshots/marts.ts'

/** The numbers of a row of a mart, and the texts that name its entity, in lower case. */
type Row = { names: string[]; numbers: number[] }

const tables =
  'signals pm_markets pm_markets_closed pm_traders pm_wallet pm_wallet_markets discover wallet wallet_tokens holdings feed'.split(
    ' ',
  )

/** Reads all rows of the fixed mart, past the API. */
export async function readRows({ query }: Pick<Snapshot, 'query'>): Promise<Row[]> {
  const found = await Promise.all(
    tables.map((table) => query(`select to_json(t)::varchar as row from marts.${table} t`, {})),
  )
  return found.flat().map((one) => rowOf(JSON.parse(String(one['row']))))
}

const rowOf = (value: unknown): Row => {
  const row: Row = { names: [], numbers: [] }
  const visit = (one: unknown): void => {
    if (typeof one === 'number') row.numbers.push(one)
    else if (typeof one === 'string') {
      row.names.push(one.toLowerCase().replaceAll('"', ''))
      row.numbers.push(...numbersOf(one))
    } else if (one !== null && typeof one === 'object') Object.values(one).forEach(visit)
  }
  visit(value)
  return row
}

const numbersOf = (text: string): number[] =>
  (text.match(/\d(?:[\d,]*\d)?(?:\.\d+)?/g) ?? []).map((token) => Number(token.replaceAll(',', '')))

/**
 * The numbers that the lines of an answer state, and that no row of the line's entity has. A line is `- <entity>: …`;
 * its entity must be named by the row. Lines about the account are left out.
 */
export function wrongNumbers(answer: string, rows: readonly Row[]): string[] {
  const lines = answer.split('\n').filter((line) => line.startsWith('- ') && line.includes(': '))
  return lines.flatMap((line) => {
    const at = line.lastIndexOf('": ') >= 0 ? line.lastIndexOf('": ') + 1 : line.indexOf(': ')
    const name = line
      .slice(2, at)
      .replaceAll('"', '')
      .replace(/^holds /, '')
      .toLowerCase()
    if (/^(tier |coverage$|sharp traders$|majors$|evidence, )/.test(name)) return []
    const own = rows.filter(({ names }) => names.includes(name)).flatMap(({ numbers }) => numbers)
    const figures = line.slice(at + 2).replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z|\b\d+d\b|\S*[:_]\S*|0x\w+/g, ' ')
    const stated = figures.match(/\d(?:[\d,]*\d)?(?:\.\d+)?/g) ?? []
    return stated
      .filter((token) => !own.some((value) => isRounded(token.replaceAll(',', ''), value)))
      .map((token) => `${name}: ${token}`)
  })
}

/** Whether a text is a value rounded to its decimals, as it is or in percent. */
const isRounded = (token: string, value: number): boolean => {
  const slack = 0.5 * 10 ** -(token.split('.')[1]?.length ?? 0) + 1e-9
  return [value, value * 100].some((wanted) => Math.abs(Number(token) - Math.abs(wanted)) <= slack)
}

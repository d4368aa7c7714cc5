import type { DuckDBConnection } from '@duckdb/node-api'
import { z } from 'zod'

import { readFacts, type Facts, type Fill as PlainFill } from '#test/oracle/blind/facts.ts'
import { grouped } from '#test/oracle/blind/numbers.ts'
import { isoMicros, type Micros } from '#time.ts'

/** The facts of closing line value, and what traders' figures take beside them. Amounts are whole millionths. */
export type TraderFacts = Omit<Facts, 'fills'> & {
  fills: Fill[]
  /** The markets that took no orders at the clock. */
  closed: Set<string>
  moves: Move[]
  shown: Map<string, Shown>
  /** The neg-risk group of a market and its number in it. */
  groups: Map<string, Group>
  combos: Combo[]
  /** The accounts whose own history was read. */
  accounts: Set<string>
}
/** `isSelf`: the trader is maker and taker of the transaction in the market. */
export type Fill = PlainFill & { isSelf: boolean }
export type Move = z.infer<typeof moveShape>
export type Group = { id: string; index: number }
type Shown = z.infer<typeof shownShape>
type Combo = z.infer<typeof comboShape>

const count = z.coerce.number()
const optional = count.nullable()
const moveShape = z.object({
  trader: z.string(),
  ts: count,
  tx: z.string(),
  kind: z.string(),
  marketId: z.string(),
  size: optional,
  cash: optional,
  groupId: z.string().nullable(),
  indexSet: z.string().nullable(),
})
const groupShape = z.object({ marketId: z.string(), id: z.string(), index: count })
const shownShape = z.object({ marketId: z.string(), last: optional, price: optional, liquidity: optional })
const comboShape = z.object({ trader: z.string(), side: z.string(), cash: count, fee: count })

const millionths = (column: string): string => `round(${column}::double * 1000000)::bigint`

export async function readTraderFacts(connection: DuckDBConnection, at: Micros): Promise<TraderFacts> {
  const until = `timestamp '${isoMicros(at)}'`
  const read = async <T>(shape: z.ZodType<T>, sql: string): Promise<T[]> =>
    z.array(shape).parse((await connection.runAndReadAll(sql)).getRowObjectsJson())
  const moved = `select trader, epoch_us(ts) as ts, tx, kind, market_id as "marketId", ${millionths('size')} as size,
      ${millionths('cash_usd')} as cash, neg_risk_id as "groupId", index_set as "indexSet"
    from lake.activity where ts <= ${until}`
  const grouped = `select distinct market_id as "marketId", neg_risk_id as id, neg_risk_index as index
    from lake.markets where seen_at <= ${until} and neg_risk_id is not null`
  const shown = `select market_id as "marketId", ${millionths('last')} as last, ${millionths('venue_price')} as price,
      ${millionths('liquidity_usd')} as liquidity
    from lake.quotes where period_s = 0 and ts <= ${until} order by ts`
  // A parlay has an id of 62 digits that begins with 03, and no description.
  const combined = `select trader, side, ${millionths('cash_usd')} as cash, ${millionths('coalesce(fee_usd, 0)')} as fee
    from lake.fills where ts <= ${until} and starts_with(market_id, 'polymarket:0x03') and length(market_id) = 75`
  const known = `select key from lake.coverage where dataset = 'activity' and key <> '' and state = 'done'`
  const closed = `select market_id as key from lake.markets
    where seen_at <= ${until} and (not is_open or closed_at <= ${until})`
  const facts = await readFacts(connection, at)
  return {
    ...facts,
    fills: marked(facts.fills),
    closed: new Set((await read(z.object({ key: z.string() }), closed)).map(({ key }) => key)),
    accounts: new Set((await read(z.object({ key: z.string() }), known)).map(({ key }) => key)),
    moves: await read(moveShape, moved),
    groups: new Map((await read(groupShape, grouped)).map(({ marketId, ...group }) => [marketId, group])),
    shown: new Map((await read(shownShape, shown)).map((row) => [row.marketId, row])),
    combos: await read(comboShape, combined),
  }
}

function marked(fills: readonly PlainFill[]): Fill[] {
  const setOf = ({ trader, tx, market }: PlainFill): string => JSON.stringify([trader, tx, market.id])
  const roles = new Map([...grouped(fills, setOf)].map(([set, own]) => [set, new Set(own.map(({ role }) => role))]))
  return fills.map((fill) => {
    const own = roles.get(setOf(fill))
    return { ...fill, isSelf: own !== undefined && own.has('maker') && own.has('taker') }
  })
}

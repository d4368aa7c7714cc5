/** A signal of the feed as a test states it; an omitted field has a default. */
export type SignalRow = {
  id: string
  /** The time of publication, as SQL. */
  at: string
  type?: 'wallet' | 'market' | 'signal' | 'social'
  entity?: string
  summary?: string
  headline?: string
  tier_required?: 'free' | 'pro' | 'enterprise'
  score?: number
  /** One fact, as SQL. */
  evidence?: string
}

export const feedTable = `create table marts.feed (rank INTEGER, id VARCHAR, type VARCHAR, entity VARCHAR, summary VARCHAR,
  timestamp TIMESTAMP, tier_required VARCHAR, headline VARCHAR, entity_masked VARCHAR, symbol VARCHAR, direction VARCHAR,
  score SMALLINT, evidence STRUCT(kind VARCHAR, ref VARCHAR, ts TIMESTAMP, "value" DOUBLE)[]);`

const text = (value: string) => `'${value.replaceAll("'", "''")}'`

const masks = { wallet: '0x12…ab', market: 'market', signal: 'asset', social: 'asset' }

const instantOf = ({ at }: SignalRow): number => Date.parse(`${at.replace(' ', 'T')}Z`)
const rankOf = ({ score = 50, ...row }: SignalRow): number => Math.log2(score) + instantOf(row) / 21_600_000

/** The values of the table, in the order of the feed. */
export const feedValues = (rows: readonly SignalRow[] = []): string[] =>
  rows
    .toSorted((a, b) => rankOf(b) - rankOf(a))
    .map((row, i) => {
      const { id, at, type = 'market', entity = 'polymarket:1', tier_required = 'free' } = row
      const { summary = 'All of it.', headline = 'A headline.', score = 50, evidence = '' } = row
      return `(${i + 1}, ${text(id)}, '${type}', ${text(entity)}, ${text(summary)}, '${at}', '${tier_required}',
        ${text(headline)}, '${masks[type]}', null, 'up', ${score}, [${evidence}])`
    })

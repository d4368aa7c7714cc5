import { z } from 'zod'

import type { Alert } from '#accounts/alerts/alerts.ts'
import type { Tier } from '#accounts/tiers.ts'
import { presentSignal, signalsFor, type Signal } from '#api/endpoints/feed.ts'
import type { Marts, Snapshot } from '#snapshots/marts.ts'
import type { Micros } from '#time.ts'

import type { Observed } from './thresholds.ts'

type Current = Pick<Marts, 'current'>
/** An entity of a type, as the marts store it. */
type Entity = { type: Alert['type']; key: string }

const unknown: Observed = { pnl: null, price: null, volume_24h: null, mindshare_delta: null, sentiment: null }
const amount = z.number().nullable().default(null)
const rowShape = z.object({
  key: z.string(),
  pnl: amount,
  price: amount,
  volume_24h: amount,
  mindshare_delta: amount,
  sentiment: z.string().nullable().default(null),
})

const asked = `(select unnest(string_split($keys, ' ')) as key)`

/** The figures of each type: realized results on chains and venues, odds, and attention over seven days. */
const selects: Partial<Record<Alert['type'], { publication: 'scores' | 'pulse'; tables: string[]; sql: string }>> = {
  wallet: {
    publication: 'scores',
    tables: ['wallet', 'pm_wallet', 'pm_addresses'],
    sql: `select key, sum(pnl)::double as pnl from (
        select address as key, realized_all_time as pnl from marts.wallet
        union all select address, total_pnl from marts.pm_wallet
        union all select a.address, w.total_pnl from marts.pm_addresses a join marts.pm_wallet w on w.address = a.trader
      ) semi join ${asked} using (key) group by key`,
  },
  market: {
    publication: 'pulse',
    tables: ['pm_markets'],
    sql: `select id as key, yes_price::double as price, volume_24h::double as volume_24h
      from marts.pm_markets semi join ${asked} on id = key`,
  },
  social: {
    publication: 'scores',
    tables: ['signals'],
    sql: `select symbol as key, mindshare_delta::double as mindshare_delta, sentiment
      from marts.signals semi join ${asked} on symbol = key where range = '7d' and n_posts > 0`,
  },
}

/** Reads the figures of entities from the current snapshots. An entity that the marts do not have has none. */
export async function observe(marts: Current, entities: readonly Entity[]): Promise<(entity: Entity) => Observed> {
  const figuresByEntity = new Map<string, Observed>()
  for (const [type, { publication, tables, sql }] of Object.entries(selects)) {
    const keys = [...new Set(entities.filter((entity) => entity.type === type).map(({ key }) => key))]
    const snapshot = marts.current(publication)
    if (keys.length === 0 || snapshot === null || !tables.every((name) => snapshot.tables.has(name))) continue
    for (const row of z.array(rowShape).parse(await snapshot.query(sql, { keys: keys.join(' ') }))) {
      const { key, ...figures } = row
      figuresByEntity.set(`${type} ${key}`, figures)
    }
  }
  return ({ type, key }) => figuresByEntity.get(`${type} ${key}`) ?? unknown
}

/** A signal as a tier sees it, with what alerts compare: the entity as the marts store it, and the score. */
export type SeenSignal = Signal & { key: string; symbol: string | null; score: number; at: Micros }

/** The signals after an instant, as a tier sees them, in the order of publication. */
export async function signalsAfter(snapshot: Snapshot, tier: Tier, at: Micros): Promise<SeenSignal[]> {
  const rows = await snapshot.query(
    `select s.*, f.entity as key, f.symbol, f.score::integer as score
     from (${signalsFor(tier, snapshot)}) s join marts.feed f using (id)
     where epoch_us(s.timestamp) > $at::bigint order by s.timestamp`,
    { at: String(at) },
  )
  return (rows as unknown as SeenSignal[]).map((row) => ({
    ...presentSignal(row),
    key: row.key,
    symbol: row.symbol,
    score: row.score,
    at: Number(row.timestamp),
  }))
}

/** The instant of the last published signal; 0 without one. */
export async function lastSignalAt(marts: Current): Promise<Micros> {
  const snapshot = marts.current('pulse')
  if (snapshot === null || !snapshot.tables.has('feed')) return 0
  const [row] = await snapshot.query('select max(timestamp) as "last" from marts.feed')
  return typeof row?.['last'] === 'number' ? row['last'] : 0
}

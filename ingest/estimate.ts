import { z } from 'zod'

import { hostOf, type Host, type Hosts } from './http/host.ts'
import { plan, type PlanRequest, type PlanTools } from './plan.ts'
import type { Source } from './source.ts'

/** The estimated cost of a backfill. */
export type Estimate = {
  units: number
  requests: number
  rows: number
  bytes: number
  seconds: number
  /** `measured` from stored units of this source, or `typical` if there are too few. */
  basis: 'measured' | 'typical'
}

/** The least number of units for a mean. */
const enoughUnits = 20
const meanShape = z.object({ n_units: z.coerce.number(), n_rows: z.coerce.number() })

/** Estimates an interval, of one part if the request names it. An upstream is asked only for what the plan needs. */
export async function estimateWork(
  source: Source,
  hosts: Hosts,
  request: PlanRequest,
  tools: PlanTools,
): Promise<Estimate> {
  const units = (await plan(source, request, tools)).units.length
  const part = source.parts.find(({ name }) => name === request.part) ?? source.parts[0]
  const [seen] = await tools.lake.query(
    `select count(*) filter (dataset = $dataset) as n_units, coalesce(sum(n_rows), 0) as n_rows from lake.coverage
     where source = $source and state in ('done', 'head', 'quarantined') and ($part = '' or part = $part)`,
    meanShape,
    // A unit has an entry for each dataset that it fills.
    { source: source.name, dataset: source.datasets[0] ?? '', part: request.part ?? '' },
  )
  const isMeasured = seen !== undefined && seen.n_units >= enoughUnits
  const { typical } = source
  // Each page costs a request, also with few rows. Above a typical unit, requests grow with the rows.
  const factor = isMeasured ? Math.max(seen.n_rows / seen.n_units / typical.rows, 1 / typical.requests) : 1
  const requests = Math.ceil(units * typical.requests * factor)
  return {
    units,
    requests,
    rows: Math.round(isMeasured ? (units * seen.n_rows) / seen.n_units : units * typical.rows),
    bytes: Math.round(units * typical.bytes * factor),
    seconds: Math.ceil((requests * 10) / leastRate(hostOf(hosts, part.upstreams[0].name))),
    basis: isMeasured ? 'measured' : 'typical',
  }
}

/** The rate of the host's slowest route, since the estimate does not know the routes of a source. */
const leastRate = ({ requestsPer10s, routes = {} }: Host): number => Math.min(requestsPer10s, ...Object.values(routes))

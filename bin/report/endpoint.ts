import type { EndpointReport } from '#sources/evm/rpc/probe_endpoint.ts'

import { count } from './progress.ts'

/** A probed endpoint. `host` is the host name of its URL, which may hold a key. */
export type ProbedEndpoint = { chain: string; endpoint: string; host: string } & EndpointReport

/** The line of an endpoint. */
export function describeEndpoint({ chain, host, ...report }: ProbedEndpoint): string {
  const abilities = [
    report.head === undefined ? '' : `head ${count(report.head)}, ${report.head_age_s ?? 0} s old`,
    report.n_range === undefined ? '' : `range ${count(report.n_range)}`,
    report.n_batch === undefined ? '' : `batch ${report.n_batch}`,
    report.has_receipts === undefined ? '' : `${report.has_receipts ? '' : 'no '}receipts`,
    report.has_traces === undefined ? '' : `${report.has_traces ? '' : 'no '}traces`,
    finality(report),
    archive(report),
    report.reason ?? '',
  ]
  return [chain.padEnd(20), host.padEnd(36), report.verdict.padEnd(11), abilities.filter(Boolean).join(' · ')]
    .join(' ')
    .trimEnd()
}

const finality = ({ n_unfinal }: EndpointReport): string => {
  if (n_unfinal === undefined) return ''
  return n_unfinal === null ? 'not finalized' : `finalized ${count(n_unfinal)} below`
}

const archive = ({ n_state }: EndpointReport): string => {
  if (n_state === undefined) return ''
  return n_state === null ? 'archive' : `state of ${count(n_state)} blocks`
}

/** The numbers of endpoints by verdict, and of the chains that can be read. */
export function summarizeEndpoints(endpoints: readonly ProbedEndpoint[]): string {
  const chains = new Set(endpoints.map(({ chain }) => chain))
  const alive = new Set(endpoints.filter(({ verdict }) => verdict === 'alive').map(({ chain }) => chain))
  const verdicts = ['alive', 'stale', 'dead', 'wrong chain'] as const
  const counts = verdicts.map(
    (verdict) => `${count(endpoints.filter((endpoint) => endpoint.verdict === verdict).length)} ${verdict}`,
  )
  return `endpoints: ${counts.join(', ')}; chains with a live endpoint: ${count(alive.size)} of ${count(chains.size)}`
}

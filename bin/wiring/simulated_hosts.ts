import type { Hosts } from '#ingest/http/host.ts'

/** A simulated world: its name, and the addresses of the hosts that it serves. */
export type SimulatedWorld = { worldName: string; hosts: Record<string, string> }

/** Rate limits protect real upstreams; a loopback upstream needs none. */
const unlimited = { requestsPer10s: 1_000_000, routes: {}, concurrency: 16 }

/**
 * The hosts that a simulated world serves, at its addresses. Other hosts are left out, so that no request is sent to
 * them.
 */
export const simulatedHosts = (hosts: Hosts, { worldName, hosts: urls }: SimulatedWorld): Hosts =>
  Object.fromEntries(
    Object.values(hosts).flatMap((host) => {
      const url = urls[host.name]
      return url === undefined ? [] : [[host.name, { ...host, ...unlimited, url, world: worldName }]]
    }),
  )

/** The simulated hosts as environment variables, for a command in another process. */
export const worldSettings = ({ worldName, hosts }: SimulatedWorld): Record<string, string> => ({
  TAPELINE_WORLD: worldName,
  ...Object.fromEntries(Object.entries(hosts).map(([name, url]) => [`${name.toUpperCase()}_URL`, url])),
})

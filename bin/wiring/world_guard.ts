import { worldOf, type Hosts } from '#ingest/http/host.ts'
import type { Source } from '#ingest/source.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'

/** Claims the lake for the world of each upstream with an overridden address. Protocols without headers need this. */
export async function claimWorlds(lake: Lake, hosts: Hosts): Promise<void> {
  for (const { world } of Object.values(hosts)) if (world !== undefined) await lake.claim(world)
}

/** Throws if an upstream of these sources belongs to another world than the lake. */
export async function refuseForeignWorld(lake: Lake, hosts: Hosts, sources: readonly Source[]): Promise<void> {
  const stored = await lake.world()
  if (stored === undefined) return
  for (const { upstreams } of sources.flatMap(({ parts }) => parts)) {
    for (const { name } of upstreams) {
      const host = hosts[name]
      if (host !== undefined && worldOf(host) !== stored) throw new WorldMismatch(stored, worldOf(host))
    }
  }
}

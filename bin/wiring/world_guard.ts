import { ConfigError, type Config } from '#config.ts'
import { worldOf, type Hosts } from '#ingest/http/host.ts'
import type { Source } from '#ingest/source.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'

/** Throws if a simulated world is named without the address of any of its upstreams, so that nothing would be read. */
export function assertWorldServed({ rpcWorld, hosts }: Pick<Config, 'rpcWorld' | 'hosts'>): void {
  if (rpcWorld === 'real' || Object.values(hosts).some(({ world }) => world === rpcWorld)) return
  const problem = 'no address of an upstream of this world'
  throw new ConfigError([`TAPELINE_WORLD=${rpcWorld}: ${problem}; expected one in a setting <HOST>_URL`])
}

/**
 * Claims the lake for the world of each upstream with an overridden address. Protocols without headers need this. An
 * empty lake that was claimed for another world, such as by a command with a wrong setting, is claimed again.
 */
export async function claimWorlds(lake: Lake, hosts: Hosts): Promise<void> {
  const worlds = new Set(Object.values(hosts).flatMap(({ world }) => world ?? []))
  const stored = await lake.world()
  if (stored !== undefined && worlds.size === 1 && !worlds.has(stored)) await lake.release()
  for (const world of worlds) await lake.claim(world)
}

/** Throws if an upstream of these sources belongs to another world than the facts of the lake. */
export async function refuseForeignWorld(lake: Lake, hosts: Hosts, sources: readonly Source[]): Promise<void> {
  const stored = await lake.world()
  const asked = sources.flatMap(({ parts }) => parts).flatMap(({ upstreams }) => upstreams)
  const worlds = new Set(asked.flatMap(({ name }) => hosts[name] ?? []).map((host) => worldOf(host)))
  const foreign = [...worlds].find((world) => world !== stored)
  if (stored === undefined || foreign === undefined) return
  // A lake without a fact is of no world yet. The first response claims it.
  if (worlds.size === 1 && (await lake.release())) return
  throw new WorldMismatch(stored, foreign)
}

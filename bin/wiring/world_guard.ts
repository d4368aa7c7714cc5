import { hosts, type Host } from '#activities/http/hosts.ts'
import { WorldMismatch, type Lake } from '#lake/lake.ts'

/** Refuses to ask a real upstream on behalf of a lake that holds a simulated world. */
export async function refuseForeignWorld(lake: Lake, host: Host): Promise<void> {
  const world = await lake.world()
  const { origin } = new URL(host.url)
  const isReal = Object.values(hosts).some(({ url }) => new URL(url).origin === origin)
  if (isReal && world !== undefined && world !== 'real') throw new WorldMismatch(world, 'real')
}

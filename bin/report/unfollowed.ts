import type { Hosts } from '#activities/http/host.ts'
import { followedParts } from '#activities/index.ts'
import type { Source } from '#activities/source.ts'

/** Says which parts of sources a follow leaves out because their upstreams need a key. */
export function reportUnfollowed(hosts: Hosts, sources: readonly Source[]): void {
  for (const source of sources.filter(({ follow }) => follow !== null)) {
    const followed = followedParts(source, hosts)
    for (const { name, upstreams } of source.parts.filter((part) => !followed.includes(part))) {
      const keys = upstreams.map(({ secret }) => secret?.setting).join(', ')
      process.stderr.write(`${source.name} ${name}: not followed; expected a key in ${keys}\n`)
    }
  }
}

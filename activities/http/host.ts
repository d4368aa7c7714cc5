export type HostName = string

/** An upstream host, declared beside the sources that read it. They name it in `parts[].upstreams`. */
export type Host = {
  /** In snake case. The variable `<NAME>_URL` overrides the address. */
  name: HostName
  /** What is read there, for the table of settings. */
  doc: string
  url: string
  /** The published limits with a margin. They hold for the whole process. */
  requestsPer10s: number
  concurrency: number
  /** The key that the host asks for. */
  secret?: Secret
}

/** How a key is sent. `http.ts` alone adds it to a request, and removes it from all that leaves that file. */
export type Secret = {
  /** The environment variable that holds the key. Hosts of one provider may share it. */
  setting: string
  /** Where to get a key, for the table of settings. */
  doc: string
  in: 'header' | 'query' | 'body'
  /** The name of the header, of the parameter or of the body's field. */
  name: string
  /** Precedes the key, such as `Bearer `. */
  prefix?: string
  /**
   * Without the key, units of parts that have no other upstream are `missing` with a reason, and are read once it is
   * set. `unfollowed` also leaves such parts out of every follow.
   */
  withoutKey: 'missing' | 'unfollowed'
}

/** A host as the environment sets it. */
export type ConfiguredHost = Host & {
  key?: string
  /** Present where the address was overridden: the world that the host answers for. */
  world?: string
}

export type Hosts = Readonly<Record<HostName, ConfiguredHost>>

/** The world that a host answers for. */
export const worldOf = ({ world = 'real' }: ConfiguredHost): string => world

/** Whether a host asks for a key that the environment does not give. */
export const lacksKey = ({ secret, key }: ConfiguredHost): boolean => secret !== undefined && key === undefined

/** The host of a name, or an error that says which there are. */
export function hostOf(hosts: Hosts, name: HostName): ConfiguredHost {
  const host = hosts[name]
  if (host !== undefined) return host
  throw new Error(`${name}: no source declares this host; expected one of ${Object.keys(hosts).join(', ')}`)
}

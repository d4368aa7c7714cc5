export type HostName = string

/** An upstream host, declared beside the sources that read it. They name it in `parts[].upstreams`. */
export type Host = {
  /** In snake case. The variable `<NAME>_URL` overrides the address. */
  name: HostName
  /** The data that is read there, for the table of settings. */
  doc: string
  url: string
  /** The published limits with a margin. The rates apply to all processes of a lake, `concurrency` to each. */
  requestsPer10s: number
  /** The lower limits of some routes, by the start of their paths, with a margin. The first that fits applies. */
  routes?: Readonly<Record<string, number>>
  concurrency: number
  /** Hosts of one provider share the limits of the first of them that is asked, since the provider counts by client. */
  provider?: string
  /** The key that the host requires. */
  secret?: Secret
}

/**
 * The place of a key in requests. Only `http.ts` adds it to requests, and removes it from responses and errors.
 */
export type Secret = {
  /** The environment variable that holds the key. Hosts of one provider may share it. */
  setting: string
  /** The page that issues keys, for the table of settings. */
  doc: string
  in: 'header' | 'query' | 'body'
  /** The name of the header, of the parameter or of the body's field. */
  name: string
  /** Precedes the key, such as `Bearer `. */
  prefix?: string
  /**
   * Without the key, units of parts without another upstream are `missing` with a reason. They are read after the key
   * is set. `unfollowed` also leaves such parts out of every follow.
   */
  withoutKey: 'missing' | 'unfollowed'
}

/** A host with the settings of the environment. */
export type ConfiguredHost = Host & {
  key?: string
  /** The world of the host, if the address was overridden. */
  world?: string
}

export type Hosts = Readonly<Record<HostName, ConfiguredHost>>

/** The world of a host. */
export const worldOf = ({ world = 'real' }: ConfiguredHost): string => world

/** Whether a host requires a key that the environment does not set. */
export const lacksKey = ({ secret, key }: ConfiguredHost): boolean => secret !== undefined && key === undefined

/** The host of a name. Throws an error that lists the declared hosts. */
export function hostOf(hosts: Hosts, name: HostName): ConfiguredHost {
  const host = hosts[name]
  if (host !== undefined) return host
  throw new Error(`${name}: no source declares this host; expected one of ${Object.keys(hosts).join(', ')}`)
}

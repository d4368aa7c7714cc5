import { availableParallelism } from 'node:os'

import { z } from 'zod'

import { hosts, type Host, type HostName } from '#activities/http/hosts.ts'

const url = z.url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })
const whole = (least: number, most: number) => {
  const error = `expected a whole number from ${least} to ${most}`
  return z
    .string()
    .regex(/^\d+$/, error)
    .transform(Number)
    .refine((value) => value >= least && value <= most, error)
}

const shape = z.object({
  TAPELINE_HOME: z.string().min(1, 'expected a folder').default('./data'),
  TAPELINE_HOST: z.string().min(1, 'expected an address to listen on').default('127.0.0.1'),
  TAPELINE_PORT: whole(0, 65_535).default(8787),
  TAPELINE_THREADS: whole(1, 1024).default(availableParallelism()),
  TAPELINE_MEMORY: z
    .string()
    .regex(/^(?=.*[1-9])\d+(\.\d+)?(MB|GB)$/, 'expected an amount such as 500MB or 4GB')
    .default('4GB'),
  TAPELINE_CONCURRENCY: whole(1, 50).default(8),
  KEEP_RAW: z.enum(['0', '1'], 'expected 0 or 1').default('1'),
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^([^\s:/]+|\[[\da-f:]+\]):\d+$/i, 'expected a host and a port, such as localhost:7233')
    .optional(),
  TEMPORAL_NAMESPACE: z
    .string()
    .regex(/^[\w.-]+$/, 'expected the name of a namespace')
    .default('default'),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .regex(/^[\w.-]+$/, 'expected a name of letters, digits, dots and dashes')
    .default('tapeline'),
  POLYMARKET_GAMMA_URL: url.optional(),
  POLYMARKET_DATA_URL: url.optional(),
  POLYMARKET_CLOB_URL: url.optional(),
})

/** Variables with these beginnings are ours: one that is not known is a misspelling. */
const prefixes = ['TAPELINE_', 'POLYMARKET_']

export type Config = {
  home: string
  listen: { host: string; port: number }
  threads: number
  memory: string
  /** Units of a batch that are read at once. */
  concurrency: number
  keepRaw: boolean
  /** The server that workflows run on; undefined: they run in this process. */
  temporal: { address: string; namespace: string; taskQueue: string } | undefined
  hosts: Record<HostName, Host>
}

/** What is wrong with the environment, one sentence a variable. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
  }
}

/** Parses the environment, all of it at once. Throws a {@link ConfigError} that names every fault. */
export function parseConfig(env: Record<string, string | undefined>): Config {
  const unknown = Object.keys(env).filter(
    (name) => prefixes.some((prefix) => name.startsWith(prefix)) && !(name in shape.shape),
  )
  const parsed = shape.safeParse(env)
  const faults = [
    ...unknown.map((name) => `${name} is not a setting; there are ${Object.keys(shape.shape).join(', ')}`),
    ...(parsed.success
      ? []
      : parsed.error.issues.map(
          ({ path: [name = ''], message }) => `${String(name)}=${env[String(name)]}: ${message}`,
        )),
  ]
  if (faults.length > 0 || !parsed.success) throw new ConfigError(faults)
  const set = parsed.data
  return {
    home: set.TAPELINE_HOME,
    listen: { host: set.TAPELINE_HOST, port: set.TAPELINE_PORT },
    threads: set.TAPELINE_THREADS,
    memory: set.TAPELINE_MEMORY,
    concurrency: set.TAPELINE_CONCURRENCY,
    keepRaw: set.KEEP_RAW === '1',
    temporal:
      set.TEMPORAL_ADDRESS === undefined
        ? undefined
        : { address: set.TEMPORAL_ADDRESS, namespace: set.TEMPORAL_NAMESPACE, taskQueue: set.TEMPORAL_TASK_QUEUE },
    hosts: {
      polymarket_gamma: at(hosts.polymarket_gamma, set.POLYMARKET_GAMMA_URL),
      polymarket_data: at(hosts.polymarket_data, set.POLYMARKET_DATA_URL),
      polymarket_clob: at(hosts.polymarket_clob, set.POLYMARKET_CLOB_URL),
    },
  }
}

const at = (host: Host, address: string | undefined): Host => (address === undefined ? host : { ...host, url: address })

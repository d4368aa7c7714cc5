import { availableParallelism } from 'node:os'

import { z } from 'zod'

import type { ConfiguredMessenger } from './api/messaging/messenger.ts'
import { mailServerOf, messengers } from './api/messaging/messengers.ts'
import {
  isTemporalSecret,
  temporalContradictions,
  temporalServer,
  temporalSettings,
  type TemporalServer,
} from './engine/temporal_settings.ts'
import type { Hosts } from './ingest/http/host.ts'
import { defaultText, networks, wholeNumber } from './ingest/setting.ts'
import type { Source } from './ingest/source.ts'
import { slugsOf } from './registry/chains/find_chain.ts'
import { parseRpcUrls, type RpcUrls } from './registry/chains/rpc_urls.ts'
import { configuredHosts, configuredSource, declaredSettings, type DeclaredSetting } from './sources/declared.ts'
import { sources } from './sources/index.ts'
import { openFolder } from './storage/folder.ts'
import type { OpenStorage } from './storage/storage.ts'
import { storages } from './storage/storages.ts'
import { nearest } from './text/nearest.ts'

/**
 * The settings that do not depend on the sources. The description of each is its line in docs/running.md; an internal
 * one is for load tests and simulated worlds, and is not listed.
 */
const general = z.object({
  TAPELINE_HOME: z.string().min(1, 'expected a folder').default('./data').describe('The folder with all state'),
  TAPELINE_HOST: z
    .string()
    .min(1, 'expected an address to listen on')
    .default('127.0.0.1')
    .describe('The address to listen on'),
  TAPELINE_PORT: wholeNumber(0, 65_535).default(8787).describe('The port; 0 takes any free one'),
  TAPELINE_TRUSTED_PROXIES: networks.describe(
    'The addresses or networks of proxies whose `X-Forwarded-For` names the client, separated by commas',
  ),
  TAPELINE_PUBLIC_READING: z
    .enum(['0', '1'], 'expected 0 or 1')
    .default('1')
    .describe('`0` shows the figures of the pages to signed-in people only'),
  TAPELINE_LOG_REQUESTS: z
    .enum(['0', '1'], 'expected 0 or 1')
    .default('0')
    .describe('`1` logs each request on standard error, without its path, query and headers'),
  TAPELINE_LOG_UNITS: z
    .enum(['0', 'json', 'text'], 'expected 0, json or text')
    .default('0')
    .describe('`json` or `text` logs each unit that is read on standard error, one line each'),
  TAPELINE_WORKER_METRICS: z
    .string()
    .regex(/^([^\s:/]+|\[[\da-f:]+\]):\d+$/i, 'expected an address and a port, such as 127.0.0.1:9464')
    .optional()
    .describe('The address where `tapeline worker` serves the metrics of the Temporal SDK for Prometheus'),
  TAPELINE_RATE_FACTOR: wholeNumber(1, 1_000_000)
    .default(1)
    .meta({ description: 'Multiplies the requests a minute of every tier', isInternal: true }),
  TAPELINE_THREADS: wholeNumber(1, 1024).default(availableParallelism()).describe('Threads of DuckDB'),
  TAPELINE_MEMORY: z
    .string()
    .regex(/^(?=.*[1-9])\d+(\.\d+)?(MB|GB)$/, 'expected an amount such as 500MB or 4GB')
    .default('4GB')
    .describe("DuckDB's memory for scoring before it spills; as much again for reading and writing"),
  TAPELINE_CONCURRENCY: wholeNumber(1, 50)
    .default(8)
    .describe('Units of a batch that are read at once, 1 to 50; each host has its own limit'),
  TAPELINE_WORLD: z
    .string()
    .regex(/^[\w.-]+$/, 'expected `real` or the name of a simulated world')
    .default('real')
    .meta({ description: 'The world of hosts with another address', isInternal: true }),
  TAPELINE_CHAINS: z
    .string()
    .default('')
    .transform(slugsOf)
    .describe('The chains that are read, separated by commas, beside those with RPC_<CHAIN>: see [chains](chains.md)'),
  KEEP_RAW: z
    .enum(['0', '1'], 'expected 0 or 1')
    .default('1')
    .describe('`0` does not store raw responses; `reparse` needs them, and so does the continuation of a large unit'),
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\/\S+$/, 'expected a URL such as postgres://user:password@host/database')
    .optional()
    .describe(
      'A PostgreSQL database for the catalog of the lake and for accounts, one a lake; by default files of the home',
    ),
  TAPELINE_PUBLIC_URL: z
    .string()
    .refine(
      (text) => /^https?:\/\/[^/?#@]+\/?$/.test(text) && URL.canParse(text),
      'expected an address without a path, such as https://tapeline.example',
    )
    .transform((text) => new URL(text).origin)
    .optional()
    .describe('The address under which browsers reach the pages; by default the address that the service listens on'),
  CHAT_BASE_URL: z
    .url({ protocol: /^https?$/, error: 'expected an address such as http://localhost:11434/v1' })
    .transform((text) => text.replace(/\/+$/, ''))
    .optional()
    .describe('A language model with the API of OpenAI, which reads questions that the rules of the assistant do not'),
  CHAT_MODEL: z.string().min(1, 'expected the name of a model').optional().describe('The name of that model'),
  CHAT_API_KEY: z.string().min(1, 'expected a key').optional().describe('The key of that API, if it needs one'),
  ...temporalSettings,
})

export type Config = {
  home: string
  listen: { host: string; port: number }
  /** The addresses and networks of proxies whose `X-Forwarded-For` counts. */
  trustedProxies: readonly string[]
  /** Whether people without an account may read the pages. */
  publicReading: boolean
  /** Whether each request is logged. */
  logsRequests: boolean
  /** The form of a line for each unit that is read; undefined: no lines. */
  logsUnits: 'json' | 'text' | undefined
  /** The address of the metrics of a worker; undefined: none. */
  workerMetrics: string | undefined
  /** The factor of the requests a minute of every tier. */
  rateFactor: number
  threads: number
  memory: string
  /** Units of a batch that are read at once. */
  concurrency: number
  keepRaw: boolean
  /** The URL of the database of the catalog and of accounts; undefined: files of the home. */
  database: string | undefined
  /** Opens the storage of the facts of a home. */
  storage: OpenStorage
  /** The origin of the pages; undefined: the address that the service listens on. */
  publicUrl: string | undefined
  /** The mail server and the sender; undefined: no mails. */
  mail: { url: string; from: string } | undefined
  /** The messengers with a bot. */
  messengers: readonly ConfiguredMessenger[]
  /** The language model of the assistant; undefined: rules alone. */
  chatModel: { url: string; model: string; key?: string } | undefined
  /** The server that workflows run on; undefined: they run in this process. */
  temporal: TemporalServer | undefined
  hosts: Hosts
  /** The endpoints of chains from `RPC_<CHAIN>`, which replace those of the registry. */
  rpcUrls: RpcUrls
  /** The world of these endpoints. */
  rpcWorld: string
  /** The slugs of the chains that are read. */
  readChains: ReadonlySet<string>
  /** The sources with a configured host, with the values of their settings. */
  sources: readonly Source[]
}

/** The faults of the environment, one line a variable. */
export class ConfigError extends Error {
  constructor(faults: string[]) {
    super(faults.join('\n'))
    this.name = 'ConfigError'
  }
}

/** The path of the command `temporal`, for the scripts and tests of this repository. */
const scriptSetting = 'TEMPORAL_CLI'

/** Parses the whole environment. Throws a {@link ConfigError} that names every fault. */
export function parseConfig(
  env: Record<string, string | undefined>,
  configuredSources: readonly Source[] = sources,
): Config {
  const settings = settingsOf(configuredSources)
  const shape = z.object(Object.fromEntries(settings.map(({ name, shape: valueShape }) => [name, valueShape])))
  // An unknown variable with one of these beginnings is a misspelling.
  const prefixes = [
    'TAPELINE_',
    'TEMPORAL_',
    ...declaredSettings(configuredSources).map(({ name }) => `${name.split('_')[0]}_`),
  ]
  const isUnknown = (name: string): boolean =>
    prefixes.some((prefix) => name.startsWith(prefix)) && !(name in shape.shape) && name !== scriptSetting
  const settingNames = settings.flatMap(({ name, page }) => (page === null ? [] : [name]))
  const faults = Object.keys(env)
    .filter(isUnknown)
    .map(
      (name) =>
        `${name}: unknown setting; expected one of ${settingNames.length}, such as ${nearestTo(name, settingNames)}`,
    )
  const parsed = shape.safeParse(env)
  for (const { path, message } of parsed.error?.issues ?? []) {
    const name = String(path[0])
    const isSecret = settings.some((setting) => setting.name === name && setting.isSecret)
    // Most shapes say what they expect, and some name the problem too.
    const fault = message.startsWith('expected ') ? `invalid; ${message}` : message
    faults.push(`${isSecret ? name : `${name}=${env[name]}`}: ${fault}`)
  }
  const rpc = parseRpcUrls(env)
  faults.push(...rpc.faults, ...temporalContradictions(env), ...chatContradictions(env))
  // Each bad item of a list is an issue of its own.
  if (faults.length > 0) throw new ConfigError([...new Set(faults)])
  const set = general.parse(env)
  const readChains = new Set([...set.TAPELINE_CHAINS, ...Object.keys(rpc.urls)])
  const endpoints = { rpcUrls: rpc.urls, rpcWorld: set.TAPELINE_WORLD, readChains }
  const hosts = Object.fromEntries(configuredHosts(configuredSources, env, endpoints).map((host) => [host.name, host]))
  const isServed = ({ parts }: Source): boolean =>
    parts.some(({ upstreams }) => upstreams.some(({ name }) => hosts[name] !== undefined))
  return {
    home: set.TAPELINE_HOME,
    listen: { host: set.TAPELINE_HOST, port: set.TAPELINE_PORT },
    trustedProxies: set.TAPELINE_TRUSTED_PROXIES,
    publicReading: set.TAPELINE_PUBLIC_READING === '1',
    logsRequests: set.TAPELINE_LOG_REQUESTS === '1',
    workerMetrics: set.TAPELINE_WORKER_METRICS,
    logsUnits: set.TAPELINE_LOG_UNITS === '0' ? undefined : set.TAPELINE_LOG_UNITS,
    rateFactor: set.TAPELINE_RATE_FACTOR,
    threads: set.TAPELINE_THREADS,
    memory: set.TAPELINE_MEMORY,
    concurrency: set.TAPELINE_CONCURRENCY,
    keepRaw: set.KEEP_RAW === '1',
    database: set.DATABASE_URL,
    storage: storages.map((kind) => kind.configure(env)).find((open) => open !== undefined) ?? openFolder,
    publicUrl: set.TAPELINE_PUBLIC_URL,
    mail: mailServerOf(env),
    messengers: messengers.flatMap((messenger) => {
      const connect = messenger.configure(env)
      return connect === undefined ? [] : [{ messenger, connect }]
    }),
    chatModel: chatModelOf(set),
    temporal: temporalServer(set),
    hosts,
    ...endpoints,
    sources: configuredSources.map((source) => configuredSource(source, parsed.data ?? {}, endpoints)).filter(isServed),
  }
}

/** The three names that are nearest to another one. */
const nearestTo = (name: string, names: readonly string[]): string => {
  const [first = '', second = '', third = ''] = nearest(name, names)
  return `${first}, ${second} or ${third}`
}

/** An address without a model, or a model or key without an address, would silently be no model. */
const chatContradictions = (env: Record<string, string | undefined>): string[] => {
  const isSet = (name: string) => env[name] !== undefined
  if (isSet('CHAT_BASE_URL') && !isSet('CHAT_MODEL')) return ['CHAT_MODEL: missing; expected a model of CHAT_BASE_URL']
  const alone = ['CHAT_MODEL', 'CHAT_API_KEY'].find(isSet)
  return alone !== undefined && !isSet('CHAT_BASE_URL')
    ? [`CHAT_BASE_URL: missing; expected an address for ${alone}`]
    : []
}

/** The model of the assistant; both the address and the name are needed. */
const chatModelOf = (set: z.output<typeof general>): Config['chatModel'] => {
  const { CHAT_BASE_URL: url, CHAT_MODEL: model, CHAT_API_KEY: key } = set
  if (url === undefined || model === undefined) return undefined
  return { url, model, ...(key === undefined ? {} : { key }) }
}

/** Every setting: the general ones, those of storages and messengers, and those that follow from the sources. */
export function settingsOf(configuredSources: readonly Source[] = sources): DeclaredSetting[] {
  const declared = [general, ...[...storages, ...messengers].map((kind) => kind.settings)]
  const shapes = declared.flatMap(({ shape }) => Object.entries<z.ZodType>({ ...shape }))
  const settings = shapes.map(([name, shape]): DeclaredSetting => ({
    name,
    shape,
    fallback: name === 'TAPELINE_THREADS' ? 'the processors of the machine' : defaultText({ shape }),
    doc: shape.description ?? '',
    // The URLs hold a password.
    isSecret:
      /^(DATABASE_URL|CHAT_API_KEY)$/.test(name) || isTemporalSecret(name) || shape.meta()?.['isSecret'] === true,
    page: shape.meta()?.['isInternal'] === true ? null : 'running',
  }))
  for (const setting of declaredSettings(configuredSources)) {
    if (settings.some(({ name }) => name === setting.name))
      throw new Error(`setting ${setting.name}: two declarations differ; expected one`)
    settings.push(setting)
  }
  return settings
}

import { z } from 'zod'

import type { ConfiguredHost, Host } from '#ingest/http/host.ts'
import { defaultText, type Setting } from '#ingest/setting.ts'
import type { Part, Source } from '#ingest/source.ts'
import { findChain } from '#registry/chains/find_chain.ts'

import { endpointsOf, type ChainSettings } from './evm/rpc/endpoints.ts'

/**
 * A setting that follows from what sources declare. `fallback` is its default, as documentation shows it. `page` is the
 * page of `docs/` that lists it; null: only tests, benches and simulated worlds need it.
 */
export type DeclaredSetting = Setting & { fallback: string; isSecret: boolean; page: 'running' | 'sources' | null }

/** The settings of sources: an address and a key for their hosts, and their own. Shared ones are listed once. */
export function declaredSettings(sources: readonly Source[]): DeclaredSetting[] {
  const declared = [...declaredHosts(sources).flatMap(settingsOfHost), ...sources.flatMap(settingsOfSource)]
  return declared.filter(({ name, shape }, n) => declared.findIndex(isSame(name, shape)) === n)
}

const isSame =
  (name: string, shape: z.ZodType) =>
  (other: Setting): boolean =>
    other.name === name && other.shape === shape

/** The hosts that sources name as upstreams, each once. The endpoints of chains are declared by the registry. */
export function declaredHosts(sources: readonly Source[]): Host[] {
  const hosts = new Map<string, Host>()
  const parts = sources.flatMap((source) => source.parts).filter(({ chain }) => chain === undefined)
  for (const host of parts.flatMap(({ upstreams }) => upstreams)) {
    const before = hosts.get(host.name)
    if (before !== undefined && JSON.stringify(before) !== JSON.stringify(host)) {
      throw new Error(`host ${host.name}: two declarations differ; expected one`)
    }
    hosts.set(host.name, host)
  }
  return [...hosts.values()]
}

/** A host as the environment sets it. */
function configuredHost(host: Host, env: Record<string, string | undefined>, world: string): ConfiguredHost {
  const url = env[urlVariable(host)]
  const key = host.secret && env[host.secret.setting]
  const isElsewhere = url !== undefined && new URL(url).origin !== new URL(host.url).origin
  return {
    ...host,
    ...(url === undefined ? {} : { url }),
    ...(isElsewhere ? { world } : {}),
    ...(key === undefined ? {} : { key }),
  }
}

/**
 * The hosts of sources as the environment sets them, with the endpoints of their chains. A simulated world serves only
 * hosts with an own address.
 */
export const configuredHosts = (
  sources: readonly Source[],
  env: Record<string, string | undefined>,
  rpc: ChainSettings,
): ConfiguredHost[] => [
  ...declaredHosts(sources)
    .filter((host) => rpc.rpcWorld === 'real' || env[urlVariable(host)] !== undefined)
    .map((host) => configuredHost(host, env, rpc.rpcWorld)),
  ...sources.flatMap(({ parts }) => parts).flatMap((part) => endpointsOfPart(part, rpc)),
]

/** The endpoints of the chain of a part; none if it has no chain, or one that is not read. */
const endpointsOfPart = ({ chain }: Part, rpc: ChainSettings): ConfiguredHost[] =>
  chain === undefined || !rpc.readChains.has(chain) ? [] : endpointsOf(findChain(chain), rpc)

/** A source as the environment sets it. `parsed` has the value of each variable. */
export const configuredSource = (source: Source, parsed: Record<string, unknown>, rpc: ChainSettings): Source => {
  const isRead = ({ chain }: Part): boolean => chain === undefined || rpc.readChains.has(chain)
  const [first, ...rest] = source.parts.filter(isRead).map((part) => configuredPart(part, rpc))
  return {
    ...source,
    // A source without a chain that is read has no configured host, and is not used.
    parts: first === undefined ? source.parts : [first, ...rest],
    values: Object.fromEntries(Object.entries(source.settings ?? {}).map(([key, { name }]) => [key, parsed[name]])),
  }
}

/** A chain that a simulated world does not serve keeps its endpoints, which have no configured host there. */
function configuredPart(part: Part, rpc: ChainSettings): Part {
  const [first, ...rest] = endpointsOfPart(part, rpc)
  return first === undefined ? part : { ...part, upstreams: [first, ...rest] }
}

const settingsOfHost = (host: Host): DeclaredSetting[] => {
  const { url, doc, secret } = host
  const address = { name: urlVariable(host), shape: urlShape(url).optional(), fallback: url, doc, isSecret: false }
  const declared: DeclaredSetting = { ...address, page: 'sources' }
  if (secret === undefined) return [declared]
  const { setting: name, doc: ofKey } = secret
  return [declared, { name, shape: keyShape, fallback: '', doc: ofKey, isSecret: true, page: 'running' }]
}

const settingsOfSource = ({ settings = {} }: Source): DeclaredSetting[] =>
  Object.values(settings).map((setting) => ({
    ...setting,
    fallback: defaultText(setting),
    isSecret: setting.isSecret ?? false,
    page: 'running',
  }))

const urlVariable = ({ name }: Host): string => `${name.toUpperCase()}_URL`

const keyShape = z
  .string()
  .regex(/^[\x21-\x7e]{8,}$/, 'expected a key of at least 8 characters, without spaces')
  .optional()

/** An address of the same kind as the declared one. */
const urlShape = (declared: string) =>
  declared.startsWith('ws')
    ? z.url({ protocol: /^wss?$/, error: 'expected an address that begins with ws:// or wss://' })
    : z.url({ protocol: /^https?$/, error: 'expected an address that begins with http:// or https://' })

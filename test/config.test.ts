import { describe, expect, test } from 'vitest'

import { discord } from '#api/messaging/discord.ts'
import { slack } from '#api/messaging/slack.ts'
import { webhook } from '#api/messaging/webhook.ts'
import { ConfigError, parseConfig, settingsOf } from '#config.ts'
import { findChain } from '#registry/chains/find_chain.ts'
import { declaredHosts } from '#sources/declared.ts'
import { chainPart } from '#sources/evm/rpc/endpoints.ts'
import { sources } from '#sources/index.ts'
import { openFolder } from '#storage/folder.ts'

import { tinySource } from './ingest/tiny.ts'

const hosts = Object.fromEntries(declaredHosts(sources).map((host) => [host.name, host]))

/** The faults of an environment, one sentence each. */
function faultsOf(env: Record<string, string>): string[] {
  try {
    parseConfig(env)
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message.split('\n')
  }
  return []
}

describe('the environment', () => {
  test('may be empty', () => {
    expect(parseConfig({})).toMatchObject({
      home: './data',
      listen: { host: '127.0.0.1', port: 8787 },
      memory: '4GB',
      concurrency: 8,
      rateFactor: 1,
      keepRaw: true,
      hosts,
    })
    expect(parseConfig({}).threads).toBeGreaterThan(0)
  })

  test('names the address of the pages and a mail server, whose password no fault shows', () => {
    const config = parseConfig({
      TAPELINE_PUBLIC_URL: 'https://tapeline.example/',
      SMTP_URL: 'smtps://ann:secret@mail.example',
      SMTP_FROM: 'tapeline@tapeline.example',
    })
    expect(config.publicUrl).toBe('https://tapeline.example')
    expect(config.mail).toEqual({ url: 'smtps://ann:secret@mail.example', from: 'tapeline@tapeline.example' })
    expect(parseConfig({})).toMatchObject({ publicUrl: undefined, mail: undefined })
    for (const url of ['tapeline.example', 'https://tapeline.example/api', 'ftp://tapeline.example', ''])
      expect(faultsOf({ TAPELINE_PUBLIC_URL: url }), url).toEqual([
        expect.stringMatching(/: invalid; expected an address /),
      ])
    expect(faultsOf({ SMTP_URL: 'mail.example secret' })).toEqual([
      'SMTP_URL: invalid; expected a URL such as smtps://user:password@host',
    ])
  })

  test('names trusted proxies by address or network', () => {
    expect(parseConfig({ TAPELINE_TRUSTED_PROXIES: ' 10.0.0.0/8,2001:db8::1 , ' })).toMatchObject({
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
    })
    for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '2001:db8::/129', '10.0.0.1/'])
      expect(faultsOf({ TAPELINE_TRUSTED_PROXIES: `10.0.0.1,${wrong}` })).toEqual([
        expect.stringContaining(`"${wrong}" is not a network; expected addresses such as 10.0.0.7 or 10.0.0.0/8`),
      ])
  })

  test('sets everything', () => {
    const withoutHost = new Set(['polymarket_push', 'polymarket_book', 'polymarket_chain'])
    const config = parseConfig({
      TAPELINE_HOME: '/var/lib/tapeline',
      TAPELINE_HOST: '0.0.0.0',
      TAPELINE_PORT: '0',
      TAPELINE_TRUSTED_PROXIES: '10.0.0.7',
      TAPELINE_PUBLIC_READING: '0',
      TAPELINE_LOG_REQUESTS: '1',
      TAPELINE_RATE_FACTOR: '1000',
      TAPELINE_THREADS: '3',
      TAPELINE_MEMORY: '1.5GB',
      TAPELINE_CONCURRENCY: '50',
      KEEP_RAW: '0',
      POLYMARKET_GAMMA_URL: 'http://127.0.0.1:1/gamma',
      POLYMARKET_DATA_URL: 'https://data.example',
      POLYMARKET_CLOB_URL: 'https://clob.polymarket.com/v9',
      TAPELINE_WORLD: 'seed-7',
      TAPELINE_POLYMARKET_MIN_FILLS: '50',
      PATH: '/bin',
    })
    expect(config).toEqual({
      home: '/var/lib/tapeline',
      listen: { host: '0.0.0.0', port: 0 },
      trustedProxies: ['10.0.0.7'],
      publicReading: false,
      logsRequests: true,
      rateFactor: 1_000,
      threads: 3,
      memory: '1.5GB',
      concurrency: 50,
      keepRaw: false,
      hosts: {
        polymarket_gamma: { ...hosts['polymarket_gamma'], url: 'http://127.0.0.1:1/gamma', world: 'seed-7' },
        polymarket_data: { ...hosts['polymarket_data'], url: 'https://data.example', world: 'seed-7' },
        polymarket_clob: { ...hosts['polymarket_clob'], url: 'https://clob.polymarket.com/v9' },
      },
      rpcUrls: {},
      rpcWorld: 'seed-7',
      readChains: new Set(),
      // They need no setting.
      messengers: [discord, slack, webhook].map((messenger) => ({ messenger, connect: expect.any(Function) })),
      storage: openFolder,
      // The world has one venue, no host that pushes, and no node.
      sources: sources
        .filter(({ name }) => name.startsWith('polymarket_') && !withoutHost.has(name))
        .map((source) => ({ ...source, values: source.name === 'polymarket_activity' ? { minFills: 50 } : {} })),
    })
  })

  test.each([
    [{ TAPELINE_HOME: '' }, 'TAPELINE_HOME=: invalid; expected a folder'],
    [{ TAPELINE_RATE_FACTOR: '0' }, 'TAPELINE_RATE_FACTOR=0: invalid; expected a whole number from 1 to 1000000'],
    [{ TAPELINE_HOST: '' }, 'TAPELINE_HOST=: invalid; expected an address to listen on'],
    [{ TAPELINE_PORT: '65536' }, 'TAPELINE_PORT=65536: invalid; expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '80a' }, 'TAPELINE_PORT=80a: invalid; expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '' }, 'TAPELINE_PORT=: invalid; expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '-1' }, 'TAPELINE_PORT=-1: invalid; expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '8e3' }, 'TAPELINE_PORT=8e3: invalid; expected a whole number from 0 to 65535'],
    [{ TAPELINE_THREADS: '0' }, 'TAPELINE_THREADS=0: invalid; expected a whole number from 1 to 1024'],
    [{ TAPELINE_THREADS: '1.5' }, 'TAPELINE_THREADS=1.5: invalid; expected a whole number from 1 to 1024'],
    [{ TAPELINE_CONCURRENCY: '51' }, 'TAPELINE_CONCURRENCY=51: invalid; expected a whole number from 1 to 50'],
    [{ TAPELINE_MEMORY: '4 GB' }, 'TAPELINE_MEMORY=4 GB: invalid; expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_MEMORY: '4096' }, 'TAPELINE_MEMORY=4096: invalid; expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_MEMORY: '0.0GB' }, 'TAPELINE_MEMORY=0.0GB: invalid; expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_WORLD: 'a b' }, 'TAPELINE_WORLD=a b: invalid; expected `real` or the name of a simulated world'],
    [{ KEEP_RAW: 'yes' }, 'KEEP_RAW=yes: invalid; expected 0 or 1'],
    [
      { POLYMARKET_DATA_URL: 'data-api.polymarket.com' },
      'POLYMARKET_DATA_URL=data-api.polymarket.com: invalid; expected an address that begins with http:// or https://',
    ],
    [
      { POLYMARKET_CLOB_URL: 'ftp://clob' },
      'POLYMARKET_CLOB_URL=ftp://clob: invalid; expected an address that begins with http:// or https://',
    ],
    [
      { POLYMARKET_GAMMA_URL: '' },
      'POLYMARKET_GAMMA_URL=: invalid; expected an address that begins with http:// or https://',
    ],
  ])('%o is refused in a sentence', (env, fault) => {
    expect(faultsOf(env)).toEqual([fault])
  })

  test('holds no unknown variable with our prefixes', () => {
    const [first, second, ...rest] = faultsOf({ TAPELINE_HOEM: 'x', POLYMARKET_KEY: 'y', OTHER_TAPELINE_HOEM: 'z' })
    expect(first).toMatch(/^TAPELINE_HOEM: unknown setting; expected one of \d+, such as TAPELINE_HOME, \w+ or \w+$/)
    expect(second).toMatch(/^POLYMARKET_KEY: unknown setting; expected one of \d+, such as POLYMARKET_/)
    expect(rest).toEqual([])
  })

  test('reports all its faults at once', () => {
    expect(faultsOf({ TAPELINE_PORT: 'x', KEEP_RAW: '2', TAPELINE_X: '' })).toHaveLength(3)
  })
})

describe('the endpoints of chains', () => {
  const [ethereum, base] = [chainPart(findChain('ethereum')), chainPart(findChain('base'))]
  const planted = [tinySource({ parts: [ethereum, base] })]
  const upstreams = (env: Record<string, string>) =>
    parseConfig(env, planted).sources.map(({ parts }) => parts.map((part) => part.upstreams.map(({ url }) => url)))

  test('are upstreams of its part, and no settings of their own', () => {
    expect(settingsOf(planted)).toEqual(settingsOf([]))
    const { hosts: set } = parseConfig({ TAPELINE_CHAINS: 'Base, 1' }, planted)
    expect(Object.values(set)).toEqual([...ethereum.upstreams, ...base.upstreams])
    expect(set['rpc_base_1']).toMatchObject({ url: 'https://mainnet.base.org', provider: 'base.org' })
  })

  test('are replaced by those of the environment', () => {
    const env = { RPC_BASE: 'https://a.example/key,http://127.0.0.1:1' }
    expect(upstreams({ ...env, TAPELINE_CHAINS: 'ethereum' })).toEqual([
      [ethereum.upstreams.map(({ url }) => url), ['https://a.example/key', 'http://127.0.0.1:1']],
    ])
    const { hosts: set } = parseConfig(env, planted)
    expect(Object.keys(set).filter((name) => name.startsWith('rpc_base'))).toEqual(['rpc_base_1', 'rpc_base_2'])
    expect(set['rpc_base_2']).toMatchObject({ url: 'http://127.0.0.1:1', world: 'real' })
  })

  test('are those of the chains that the environment names, and of no others', () => {
    expect(upstreams({})).toEqual([])
    expect(parseConfig({}, planted).hosts).toEqual({})
    expect(upstreams({ RPC_BASE: 'http://127.0.0.1:1' })).toEqual([[['http://127.0.0.1:1']]])
    expect(() => parseConfig({ TAPELINE_CHAINS: 'base,etherium' }, planted)).toThrow(
      'TAPELINE_CHAINS=base,etherium: chain etherium: unknown; expected a slug, a chain id or a name of viem, such as ethereum',
    )
  })

  test('of a simulated world are those of the environment alone', () => {
    expect(upstreams({ TAPELINE_WORLD: 'seed-7' })).toEqual([])
    const { hosts: set } = parseConfig({ TAPELINE_WORLD: 'seed-7', RPC_BASE: 'http://127.0.0.1:1/base' }, planted)
    expect(Object.values(set)).toMatchObject([{ name: 'rpc_base_1', world: 'seed-7' }])
  })
})

import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { chainPart } from '#activities/chains/evm/rpc/endpoints.ts'
import { declaredHosts } from '#activities/declared.ts'
import type { Host } from '#activities/http/host.ts'
import { wholeNumber } from '#activities/setting.ts'
import { sources } from '#activities/sources.ts'
import { findChain } from '#chains/find_chain.ts'
import { ConfigError, parseConfig, settingsOf } from '#config.ts'
import { tinySource } from '#test/activities/tiny.ts'

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
      expect(faultsOf({ TAPELINE_PUBLIC_URL: url }), url).toEqual([expect.stringMatching(/: expected an address /)])
    expect(faultsOf({ SMTP_URL: 'mail.example secret' })).toEqual([
      'SMTP_URL: expected a URL such as smtps://user:password@host',
    ])
  })

  test('names trusted proxies by address or network', () => {
    expect(parseConfig({ TAPELINE_TRUSTED_PROXIES: ' 10.0.0.0/8,2001:db8::1 , ' })).toMatchObject({
      trustedProxies: ['10.0.0.0/8', '2001:db8::1'],
    })
    for (const wrong of ['proxy.example', '10.0.0.0/33', '10.0.0.0/8/8', '2001:db8::/129', '10.0.0.1/'])
      expect(faultsOf({ TAPELINE_TRUSTED_PROXIES: `10.0.0.1,${wrong}` })).toEqual([
        expect.stringContaining(`"${wrong}" is no network; expected addresses such as 10.0.0.7 or 10.0.0.0/8`),
      ])
  })

  test('sets everything', () => {
    const config = parseConfig({
      TAPELINE_HOME: '/var/lib/tapeline',
      TAPELINE_HOST: '0.0.0.0',
      TAPELINE_PORT: '0',
      TAPELINE_TRUSTED_PROXIES: '10.0.0.7',
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
      // The world has one venue, and no host that pushes.
      sources: sources
        .filter(({ name }) => name.startsWith('polymarket_') && !['polymarket_push', 'polymarket_book'].includes(name))
        .map((source) => ({ ...source, values: source.name === 'polymarket_activity' ? { minFills: 50 } : {} })),
    })
  })

  test.each([
    [{ TAPELINE_HOME: '' }, 'TAPELINE_HOME=: expected a folder'],
    [{ TAPELINE_RATE_FACTOR: '0' }, 'TAPELINE_RATE_FACTOR=0: expected a whole number from 1 to 1000000'],
    [{ TAPELINE_HOST: '' }, 'TAPELINE_HOST=: expected an address to listen on'],
    [{ TAPELINE_PORT: '65536' }, 'TAPELINE_PORT=65536: expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '80a' }, 'TAPELINE_PORT=80a: expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '' }, 'TAPELINE_PORT=: expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '-1' }, 'TAPELINE_PORT=-1: expected a whole number from 0 to 65535'],
    [{ TAPELINE_PORT: '8e3' }, 'TAPELINE_PORT=8e3: expected a whole number from 0 to 65535'],
    [{ TAPELINE_THREADS: '0' }, 'TAPELINE_THREADS=0: expected a whole number from 1 to 1024'],
    [{ TAPELINE_THREADS: '1.5' }, 'TAPELINE_THREADS=1.5: expected a whole number from 1 to 1024'],
    [{ TAPELINE_CONCURRENCY: '51' }, 'TAPELINE_CONCURRENCY=51: expected a whole number from 1 to 50'],
    [{ TAPELINE_MEMORY: '4 GB' }, 'TAPELINE_MEMORY=4 GB: expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_MEMORY: '4096' }, 'TAPELINE_MEMORY=4096: expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_MEMORY: '0.0GB' }, 'TAPELINE_MEMORY=0.0GB: expected an amount such as 500MB or 4GB'],
    [{ TAPELINE_WORLD: 'a b' }, 'TAPELINE_WORLD=a b: expected `real` or the name of a simulated world'],
    [{ KEEP_RAW: 'yes' }, 'KEEP_RAW=yes: expected 0 or 1'],
    [
      { POLYMARKET_DATA_URL: 'data-api.polymarket.com' },
      'POLYMARKET_DATA_URL=data-api.polymarket.com: expected an address that begins with http:// or https://',
    ],
    [
      { POLYMARKET_CLOB_URL: 'ftp://clob' },
      'POLYMARKET_CLOB_URL=ftp://clob: expected an address that begins with http:// or https://',
    ],
    [{ POLYMARKET_GAMMA_URL: '' }, 'POLYMARKET_GAMMA_URL=: expected an address that begins with http:// or https://'],
  ])('%o is refused in a sentence', (env, fault) => {
    expect(faultsOf(env)).toEqual([fault])
  })

  test('holds no unknown variable with our prefixes', () => {
    const [first, second, ...rest] = faultsOf({ TAPELINE_HOEM: 'x', POLYMARKET_KEY: 'y', OTHER_TAPELINE_HOEM: 'z' })
    expect(first).toMatch(
      /^TAPELINE_HOEM: unknown setting; expected one of TAPELINE_HOME, TAPELINE_HOST, .+, KEEP_RAW, /,
    )
    expect(second).toMatch(/^POLYMARKET_KEY: unknown setting; expected one of /)
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

describe('the settings of hosts', () => {
  const rpc: Host = {
    name: 'planted_rpc',
    doc: 'Where blocks are read',
    url: 'wss://rpc.example/v1',
    requestsPer10s: 10,
    concurrency: 1,
    secret: { setting: 'VAULT_KEY', doc: 'A key', in: 'header', name: 'x-key', withoutKey: 'missing' },
  }
  const page: Host = { ...rpc, name: 'planted_page', url: 'https://page.example', doc: 'Where pages are read' }
  const planted = [tinySource({ parts: [{ name: 'a', upstreams: [rpc, page] }] })]
  const faults = (env: Record<string, string>) => {
    try {
      parseConfig(env, planted)
    } catch (error) {
      return (error as Error).message
    }
    return ''
  }

  test('follow from the list of sources, with a shared key once', () => {
    const names = settingsOf(planted).map(({ name }) => name)
    expect(names.slice(-3)).toEqual(['PLANTED_RPC_URL', 'VAULT_KEY', 'PLANTED_PAGE_URL'])
    expect(settingsOf([]).map(({ name }) => name)).toEqual(names.slice(0, -3))
  })

  test('reach the hosts, which need none of them', () => {
    expect(parseConfig({}, planted).hosts).toEqual({ planted_rpc: rpc, planted_page: page })
    const { hosts: set } = parseConfig({ VAULT_KEY: 'abcdefgh', PLANTED_RPC_URL: 'ws://127.0.0.1:1' }, planted)
    expect(set).toEqual({
      planted_rpc: { ...rpc, url: 'ws://127.0.0.1:1', key: 'abcdefgh', world: 'real' },
      planted_page: { ...page, key: 'abcdefgh' },
    })
  })

  test('begin with words that are ours as soon as a host is declared', () => {
    expect(faults({ PLANTED_RCP_URL: 'ws://127.0.0.1:1' })).toMatch(/^PLANTED_RCP_URL: unknown setting/)
    expect(faults({ VAULT_KYE: 'abcdefgh' })).toMatch(/^VAULT_KYE: unknown setting/)
    expect(() => parseConfig({ PLANTED_RCP_URL: '', VAULT_KYE: '' })).not.toThrow()
  })

  test('keep the kind of address, and show no key', () => {
    expect(faults({ PLANTED_RPC_URL: 'https://x.example' })).toBe(
      'PLANTED_RPC_URL=https://x.example: expected an address that begins with ws:// or wss://',
    )
    expect(faults({ VAULT_KEY: 'canary key' })).toBe(
      'VAULT_KEY: expected a key of at least 8 characters, without spaces',
    )
  })

  test('of the bot show no token', () => {
    expect(faults({ TELEGRAM_BOT_TOKEN: 'canary token' })).toBe(
      'TELEGRAM_BOT_TOKEN: expected the token that @BotFather gave, such as 123456:ABC…',
    )
  })

  test('are of one declaration a name', () => {
    const other = tinySource({ parts: [{ name: 'a', upstreams: [{ ...page, concurrency: 2 }] }] })
    expect(() => parseConfig({}, [...planted, other])).toThrow('host planted_page: two declarations differ')
    expect(() => tinySource({ parts: [{ name: 'a', upstreams: [{ ...page, name: 'Planted-Page' }] }] })).toThrow(
      'host name Planted-Page: invalid; expected snake_case',
    )
  })
})

describe('the settings of sources', () => {
  const word = z.string().regex(/^\w+$/, 'expected words, separated by commas')
  const list = z.string().transform((text) => text.split(','))
  const feeds = { name: 'TAPELINE_FEEDS', shape: list.pipe(z.array(word)).default(['a', 'b']), doc: 'The feeds' }
  const depth = { name: 'TAPELINE_DEPTH', shape: wholeNumber(1, 9).default(3), doc: 'How deep each is read' }
  const planted = [
    tinySource({ name: 'first', settings: { feeds, depth } }),
    tinySource({ name: 'second', settings: { names: feeds } }),
  ]
  const parse = (env: Record<string, string>, of = planted) => parseConfig(env, of).sources.map(({ values }) => values)

  test('have defaults, which documentation shows, and a shared one is listed once', () => {
    expect(parse({})).toEqual([{ feeds: ['a', 'b'], depth: 3 }, { names: ['a', 'b'] }])
    expect(settingsOf(planted).slice(-2)).toMatchObject([
      { name: 'TAPELINE_FEEDS', fallback: 'a,b', doc: 'The feeds', isSecret: false },
      { name: 'TAPELINE_DEPTH', fallback: '3' },
    ])
  })

  test('are parsed for each source that declares them', () => {
    expect(parse({ TAPELINE_FEEDS: 'x,y,z', TAPELINE_DEPTH: '9' })).toEqual([
      { feeds: ['x', 'y', 'z'], depth: 9 },
      { names: ['x', 'y', 'z'] },
    ])
  })

  test('are refused in a sentence each', () => {
    const known = settingsOf(planted).map(({ name }) => name)
    expect(() => parse({ TAPELINE_FEEDS: 'x,,y z', TAPELINE_DEPTH: '0', TAPELINE_FEED: 'x' })).toThrow(
      [
        `TAPELINE_FEED: unknown setting; expected one of ${known.join(', ')}`,
        'TAPELINE_FEEDS=x,,y z: expected words, separated by commas',
        'TAPELINE_DEPTH=0: expected a whole number from 1 to 9',
      ].join('\n'),
    )
    expect(() => parse({ TAPELINE_DEPTH: '3' }, [])).toThrow('TAPELINE_DEPTH: unknown setting')
  })

  test('are of one declaration a name', () => {
    const other = tinySource({ settings: { depth: { ...depth, shape: wholeNumber(1, 99).default(3) } } })
    expect(() => parseConfig({}, [...planted, other])).toThrow(
      'setting TAPELINE_DEPTH: two declarations differ; expected one',
    )
    const port = tinySource({ settings: { port: { ...depth, name: 'TAPELINE_PORT' } } })
    expect(() => parseConfig({}, [port])).toThrow('setting TAPELINE_PORT: two declarations differ; expected one')
  })
})

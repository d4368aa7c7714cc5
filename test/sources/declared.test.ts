import { describe, expect, test } from 'vitest'
import { z } from 'zod'

import { parseConfig, settingsOf } from '#config.ts'
import type { Host } from '#ingest/http/host.ts'
import { wholeNumber } from '#ingest/setting.ts'
import { tinySource } from '#test/ingest/tiny.ts'

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
      'PLANTED_RPC_URL=https://x.example: invalid; expected an address that begins with ws:// or wss://',
    )
    expect(faults({ VAULT_KEY: 'canary key' })).toBe(
      'VAULT_KEY: invalid; expected a key of at least 8 characters, without spaces',
    )
  })

  test('of the bot show no token', () => {
    expect(faults({ TELEGRAM_BOT_TOKEN: 'canary token' })).toBe(
      'TELEGRAM_BOT_TOKEN: invalid; expected the token that @BotFather gave, such as 123456:ABC…',
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
    const known = settingsOf(planted).flatMap(({ name, page }) => (page === null ? [] : [name]))
    expect(() => parse({ TAPELINE_FEEDS: 'x,,y z', TAPELINE_DEPTH: '0', TAPELINE_FEED: 'x' })).toThrow(
      [
        `TAPELINE_FEED: unknown setting; expected one of ${known.length}, such as TAPELINE_FEEDS, TAPELINE_MEMORY or TAPELINE_DEPTH`,
        'TAPELINE_FEEDS=x,,y z: invalid; expected words, separated by commas',
        'TAPELINE_DEPTH=0: invalid; expected a whole number from 1 to 9',
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

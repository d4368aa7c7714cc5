import { describe, expect, test } from 'vitest'

import { parseConfig } from '#config.ts'
import { parseRpcUrls } from '#registry/chains/rpc_urls.ts'

describe('RPC_<CHAIN>', () => {
  test('lists the endpoints of a chain, without repeats', () => {
    const env = {
      RPC_ETHEREUM: 'https://a.example/key, http://127.0.0.1:8545,https://a.example/key',
      RPC_ARBITRUM_NOVA: 'https://b.example',
      RPC_SOLANA: 'https://c.example',
      PATH: '/bin',
    }
    expect(parseRpcUrls(env)).toEqual({
      urls: {
        ethereum: ['https://a.example/key', 'http://127.0.0.1:8545'],
        'arbitrum-nova': ['https://b.example'],
        solana: ['https://c.example'],
      },
      faults: [],
    })
    expect(parseConfig(env).rpcUrls).toEqual(parseRpcUrls(env).urls)
  })

  test('is refused with the nearest settings where no chain fits', () => {
    expect(parseRpcUrls({ RPC_TYPO: 'https://a.example' }).faults).toEqual([
      'RPC_TYPO: unknown chain; expected the slug of a chain, such as RPC_TEMPO, RPC_TELOS, RPC_TAC',
    ])
    expect(() => parseConfig({ RPC_ETHERIUM: 'https://a.example' })).toThrow(
      'RPC_ETHERIUM: unknown chain; expected the slug of a chain, such as RPC_ETHEREUM',
    )
  })

  test.each(['', 'node.example', 'https://a.example,', 'wss://a.example/secret-key', 'https://a.example,ftp://b'])(
    'is refused without its value, which may hold a key: %j',
    (text) => {
      expect(parseRpcUrls({ RPC_BASE: text }).faults).toEqual([
        'RPC_BASE: not a list of URLs; expected addresses that begin with http:// or https://, separated by commas',
      ])
    },
  )
})

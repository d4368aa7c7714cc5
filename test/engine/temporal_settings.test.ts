import { describe, expect, test } from 'vitest'

import { ConfigError, parseConfig } from '#config.ts'

const server = { TEMPORAL_ADDRESS: 'temporal.example:7233' }
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n'
const secret = '-----BEGIN PRIVATE KEY-----\ncanary\n-----END PRIVATE KEY-----\n'
const plain = { address: 'temporal.example:7233', namespace: 'default', taskQueue: 'tapeline' }

const serverOf = (env: Record<string, string>) => parseConfig({ ...server, ...env }, []).temporal

function faultsOf(env: Record<string, string>): string {
  try {
    parseConfig(env, [])
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError)
    return (error as Error).message
  }
  return ''
}

describe('the settings of a Temporal server', () => {
  test('use no TLS by themselves', () => {
    expect(parseConfig({}, []).temporal).toBeUndefined()
    expect(serverOf({})).toEqual({ ...plain, apiKey: undefined, tls: undefined })
    expect(serverOf({ TEMPORAL_TLS: 'false' })).toEqual({ ...plain, apiKey: undefined, tls: undefined })
  })

  test.each([
    [{ TEMPORAL_TLS: 'true' }, {}],
    [{ TEMPORAL_API_KEY: 'ey.key' }, {}],
    [{ TEMPORAL_TLS_SERVER_NAME: 'inner.example' }, { serverName: 'inner.example' }],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/etc/ca.pem' },
      { ca: { setting: 'TEMPORAL_TLS_SERVER_CA_CERT_PATH', path: '/etc/ca.pem' } },
    ],
    [
      { TEMPORAL_TLS_CLIENT_CERT_DATA: pem, TEMPORAL_TLS_CLIENT_KEY_PATH: '/etc/key.pem' },
      {
        client: {
          certificate: { setting: 'TEMPORAL_TLS_CLIENT_CERT_DATA', text: pem },
          key: { setting: 'TEMPORAL_TLS_CLIENT_KEY_PATH', path: '/etc/key.pem' },
        },
      },
    ],
  ])('%j enables TLS', (env, tls) => {
    const none = { serverName: undefined, ca: undefined, client: undefined }
    const apiKey = 'TEMPORAL_API_KEY' in env ? env.TEMPORAL_API_KEY : undefined
    expect(serverOf(env as Record<string, string>)).toEqual({ ...plain, apiKey, tls: { ...none, ...tls } })
  })

  test('include no misspelling, and the command of the scripts is none', () => {
    for (const [name, meant] of [
      ['TEMPORAL_API_KYE', 'TEMPORAL_API_KEY'],
      ['TEMPORAL_TLS_CERT', 'TEMPORAL_TLS'],
      ['TEMPORAL_PROFILE', 'TEMPORAL_'],
      ['TEMPORAL_ADRESS', 'TEMPORAL_ADDRESS'],
    ] as const)
      expect(faultsOf({ [name]: 'x' })).toMatch(
        new RegExp(`^${name}: unknown setting; expected one of \\d+, such as ${meant}`),
      )
    expect(faultsOf({ TEMPORAL_CLI: '/usr/bin/temporal' })).toBe('')
  })

  test.each([
    [{ TEMPORAL_TLS: 'yes' }, 'TEMPORAL_TLS=yes: invalid; expected true or false'],
    [{ TEMPORAL_TLS_SERVER_NAME: 'a b' }, 'TEMPORAL_TLS_SERVER_NAME=a b: invalid; expected the name of a host'],
    [{ TEMPORAL_API_KEY: 'canary key' }, 'TEMPORAL_API_KEY: invalid; expected an API key, without spaces'],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_DATA: 'canary' },
      'TEMPORAL_TLS_SERVER_CA_CERT_DATA: invalid; expected PEM text, BEGIN and END lines included',
    ],
    [
      { TEMPORAL_TLS_CLIENT_KEY_PATH: secret, TEMPORAL_TLS_CLIENT_CERT_DATA: pem },
      'TEMPORAL_TLS_CLIENT_KEY_PATH: invalid; expected the path of a PEM file',
    ],
    [
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/canary.pem' },
      'TEMPORAL_TLS_CLIENT_CERT: no private key; expected TEMPORAL_TLS_CLIENT_KEY_PATH or _DATA',
    ],
    [
      { TEMPORAL_TLS_CLIENT_KEY_DATA: secret },
      'TEMPORAL_TLS_CLIENT_KEY: no certificate; expected TEMPORAL_TLS_CLIENT_CERT_PATH or _DATA',
    ],
    [
      { TEMPORAL_TLS_SERVER_CA_CERT_DATA: pem, TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/ca.pem' },
      'TEMPORAL_TLS_SERVER_CA_CERT_DATA: set beside TEMPORAL_TLS_SERVER_CA_CERT_PATH; expected one of the two',
    ],
    [
      { TEMPORAL_TLS: 'false', TEMPORAL_API_KEY: 'canary' },
      'TEMPORAL_TLS=false: TEMPORAL_API_KEY set; expected true, or no such setting',
    ],
  ])('refuse %j without its secret', (env, fault) => {
    expect(faultsOf({ ...server, ...(env as Record<string, string>) })).toBe(fault)
    expect(fault).not.toContain('canary')
  })

  test('of identity and TLS need a server', () => {
    expect(faultsOf({ TEMPORAL_API_KEY: 'canary', TEMPORAL_TLS: 'true' }).split('\n')).toEqual([
      'TEMPORAL_API_KEY: no server; expected TEMPORAL_ADDRESS beside it',
      'TEMPORAL_TLS: no server; expected TEMPORAL_ADDRESS beside it',
    ])
    expect(faultsOf({ TEMPORAL_NAMESPACE: 'mine', TEMPORAL_TASK_QUEUE: 'mine' })).toBe('')
  })
})

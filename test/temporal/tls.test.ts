import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openEngine } from '#bin/wiring/engine.ts'
import { parseConfig } from '#config.ts'
import { WrongServerSetting } from '#engine/engine.ts'
import { key, serveFake, type FakeUpstream } from '#test/ingest/planted/requests/fake_upstream.ts'
import { ingestPlanted, plantedSources } from '#test/ingest/planted/requests/open_planted.ts'
import { begin, HOUR } from '#test/ingest/planted/requests/planted_rows.ts'

import { hasOpenssl, makeAuthority, serverName, type Certificate } from './support/certificates.ts'
import { openWorking } from './support/engines.ts'
import { startTemporal, type TemporalServer } from './support/server.ts'
import { describeOnTemporal } from './support/suite.ts'
import { serveTls, type TlsProxy } from './support/tls_proxy.ts'

// In CI a missing openssl fails.
const isMissing = !hasOpenssl && process.env['CI'] === undefined
if (isMissing) console.warn('skipped: the command openssl is missing, which makes the certificates of TLS')
const describeTls = (name: string, tests: () => void): void => {
  describe.skipIf(isMissing)('with TLS', () => describeOnTemporal(name, tests))
}

const apiKey = 'ey.canary-api-key'

describeTls('a Temporal server behind TLS', () => {
  let home: string
  let server: TemporalServer
  let world: FakeUpstream
  let authority: Awaited<ReturnType<typeof makeAuthority>>
  let [client, stranger]: Certificate[] = []
  let keyed: TlsProxy
  let mutual: TlsProxy
  beforeAll(async () => {
    home = await mkdtemp(join(tmpdir(), 'tapeline-tls-'))
    authority = await makeAuthority(home, 'authority')
    client = await authority.sign('client')
    stranger = await (await makeAuthority(home, 'other')).sign('stranger')
    const certificate = await authority.sign('server')
    world = await serveFake()
    server = await startTemporal()
    keyed = await serveTls(server.address, { certificate, apiKey })
    mutual = await serveTls(server.address, { certificate, clientAuthority: authority })
  })
  afterAll(async () => {
    await keyed.close()
    await mutual.close()
    await server.stop()
    await world.close()
    await rm(home, { recursive: true, force: true })
  })

  const trust = (): Record<string, string> => ({
    TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.certificatePath,
    TEMPORAL_TLS_SERVER_NAME: serverName,
  })
  const withKey = (): Record<string, string> => ({
    ...trust(),
    TEMPORAL_ADDRESS: keyed.address,
    TEMPORAL_API_KEY: apiKey,
  })
  const withCertificate = (of: Certificate | undefined): Record<string, string> => ({
    ...trust(),
    TEMPORAL_ADDRESS: mutual.address,
    TEMPORAL_TLS_CLIENT_CERT_DATA: of?.certificate ?? '',
    TEMPORAL_TLS_CLIENT_KEY_PATH: of?.keyPath ?? '',
  })
  const faultOf = async (env: Record<string, string>): Promise<Error> => {
    const opened = openEngine(parseConfig(env)).then(async (engine) => engine.close())
    return opened.then(
      () => new Error('it connected'),
      (error: unknown) => error as Error,
    )
  }

  it('runs a backfill for a client and a worker that show the API key or the certificate that it demands', async () => {
    const to = begin + 10 * HOUR
    for (const [name, env] of Object.entries({ keyed: withKey(), mutual: withCertificate(client) })) {
      const planted = await openWorking({
        home: join(home, name),
        upstream: world,
        clock: () => to,
        address: undefined,
        sources: plantedSources,
        env: { ...env, PLANTED_KEY: key, TEMPORAL_TASK_QUEUE: name },
      })
      expect(await ingestPlanted(planted, to), name).toMatchObject([{ units: 10, failed: 0 }, { units: 9 }])
      await planted.close()
    }
    const histories = await historiesOf(server)
    expect(histories).toHaveLength(4)
    const text = histories.join('\n')
    expect(text).toContain(plantedSources[0]?.name)
    for (const secret of [apiKey, Buffer.from(apiKey).toString('base64'), (client?.key ?? '').split('\n')[1] ?? ''])
      expect(text.includes(secret)).toBe(false)
  })

  it('names the setting that it refuses, unless the handshake fails, and no message shows a key', async () => {
    const wrongKey = await faultOf({ ...withKey(), TEMPORAL_API_KEY: 'ey.canary-wrong' })
    expect(wrongKey).toBeInstanceOf(WrongServerSetting)
    expect(wrongKey.message).toBe(
      `TEMPORAL_API_KEY: refused by the server at ${keyed.address}; expected a valid one with access to the namespace default`,
    )
    const noKey = await faultOf({ ...trust(), TEMPORAL_ADDRESS: keyed.address })
    expect(noKey.message).toMatch(
      /^TEMPORAL_API_KEY: not set, and the server at .+ demands a proof of identity; expected/,
    )
    const otherKey = await faultOf({
      ...withCertificate(client),
      TEMPORAL_TLS_CLIENT_KEY_PATH: stranger?.keyPath ?? '',
    })
    expect(otherKey).toBeInstanceOf(WrongServerSetting)
    expect(otherKey.message).toBe(
      'TEMPORAL_TLS_CLIENT_KEY_PATH: not the key of TEMPORAL_TLS_CLIENT_CERT_DATA; expected its private key',
    )
    const missing = await faultOf({ ...withKey(), TEMPORAL_TLS_SERVER_CA_CERT_PATH: join(home, 'none.pem') })
    expect(missing.message).toMatch(/^TEMPORAL_TLS_SERVER_CA_CERT_PATH .+none\.pem: not readable, ENOENT; expected/)
    const unheard = [
      // A certificate of another authority, none, an authority that the client does not trust, and no TLS.
      withCertificate(stranger),
      { ...trust(), TEMPORAL_ADDRESS: mutual.address },
      { TEMPORAL_ADDRESS: keyed.address, TEMPORAL_API_KEY: apiKey, TEMPORAL_TLS_SERVER_NAME: serverName },
      { TEMPORAL_ADDRESS: keyed.address },
    ]
    for (const fault of await Promise.all(unheard.map(faultOf))) {
      expect(fault).not.toBeInstanceOf(WrongServerSetting)
      expect(fault.message).toMatch(/^TEMPORAL_ADDRESS 127\.0\.0\.1:\d+: no response, .+; expected a Temporal server/)
      expect(fault.message).not.toContain(apiKey)
    }
  })

  it.each(['worker', 'status', 'start'])('ends %s with exit code 2 where the namespace is missing', async (command) => {
    const own = join(home, command)
    await mkdir(own)
    const env = { ...process.env, ...withKey(), TEMPORAL_NAMESPACE: 'nowhere', TAPELINE_HOME: own }
    const { code, written } = await new Promise<{ code: unknown; written: string }>((resolve) => {
      const args = ['bin/tapeline.js', command, ...(command === 'start' ? ['--port', '0'] : [])]
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code, written: stdout + stderr }),
      )
    })
    expect(written).toContain(`TEMPORAL_NAMESPACE nowhere: not on the server at ${keyed.address}; expected`)
    expect(written).toContain('temporal operator namespace create --namespace nowhere')
    expect(written).not.toContain(apiKey)
    expect(code).toBe(2)
  })
})

/** The text of the events of every run, with decoded payloads. */
async function historiesOf({ address }: TemporalServer): Promise<string[]> {
  const client = new Client({ connection: await Connection.connect({ address }) })
  const histories: string[] = []
  for await (const { workflowId, runId } of client.workflow.list()) {
    const { events } = await client.workflow.getHandle(workflowId, runId).fetchHistory()
    const decoded = (name: string, value: unknown): unknown =>
      name === 'data' && typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : value
    histories.push(JSON.stringify(events, decoded))
  }
  await client.connection.close()
  return histories
}

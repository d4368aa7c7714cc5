import { createPrivateKey, X509Certificate, type KeyObject } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import { Connection } from '@temporalio/client'

import { WrongServerSetting } from './engine.ts'
import type { Pem, TemporalServer } from './temporal_settings.ts'

/** The time that a server has to describe its namespace. */
const answer_ms = 10_000

/**
 * Connects to a server and finds its namespace. Throws a {@link WrongServerSetting} if the server refuses the
 * namespace, the API key or the client certificate, and another error if it does not respond. No error shows a key.
 */
export async function connectTo(server: TemporalServer): Promise<Connection> {
  const connection = Connection.lazy(await connectionOptions(server))
  try {
    await connection.ensureConnected()
    const deadline = new Date(performance.timeOrigin + performance.now() + answer_ms)
    const { namespace } = server
    await connection.withDeadline(deadline, () => connection.workflowService.describeNamespace({ namespace }))
    return connection
  } catch (error) {
    await connection.close()
    throw faultOf(error, server)
  }
}

type ConnectionOptions = {
  address: string
  apiKey?: string
  tls?: {
    serverNameOverride?: string
    serverRootCACertificate?: Buffer
    clientCertPair?: { crt: Buffer; key: Buffer }
  }
}

/**
 * The options of a connection, the same for clients and workers. Each call reads the files, so a renewed certificate
 * counts. Throws a {@link WrongServerSetting} that names an unusable file or key.
 */
export async function connectionOptions({ address, apiKey, tls }: TemporalServer): Promise<ConnectionOptions> {
  const key = apiKey === undefined ? {} : { apiKey }
  if (tls === undefined) return { address, ...key }
  const { serverName, ca, client } = tls
  return {
    address,
    ...key,
    tls: {
      ...(serverName === undefined ? {} : { serverNameOverride: serverName }),
      ...(ca === undefined ? {} : { serverRootCACertificate: (await certificateOf(ca)).bytes }),
      ...(client === undefined ? {} : { clientCertPair: await pairOf(client) }),
    },
  }
}

async function pairOf({ certificate, key }: { certificate: Pem; key: Pem }): Promise<{ crt: Buffer; key: Buffer }> {
  const [{ bytes: crt, parsed }, keyBytes] = [await certificateOf(certificate), await bytesOf(key)]
  // A failed handshake does not say which of the two is wrong.
  const privateKey = orRefuse((): KeyObject => createPrivateKey(keyBytes), key, 'a private key without a passphrase')
  if (!parsed.checkPrivateKey(privateKey))
    throw new WrongServerSetting(`${key.setting}: not the key of ${certificate.setting}; expected its private key`)
  return { crt, key: keyBytes }
}

async function certificateOf(pem: Pem): Promise<{ bytes: Buffer; parsed: X509Certificate }> {
  const bytes = await bytesOf(pem)
  return { bytes, parsed: orRefuse(() => new X509Certificate(bytes), pem, 'a certificate') }
}

function orRefuse<Parsed>(parse: () => Parsed, { setting }: Pem, expected: string): Parsed {
  try {
    return parse()
  } catch {
    throw new WrongServerSetting(`${setting}: not readable as PEM; expected ${expected}`)
  }
}

async function bytesOf(pem: Pem): Promise<Buffer> {
  if ('text' in pem) return Buffer.from(pem.text)
  return readFile(pem.path).catch((error: unknown) => {
    const { code } = error as NodeJS.ErrnoException
    throw new WrongServerSetting(`${pem.setting} ${pem.path}: not readable, ${code}; expected a PEM file`)
  })
}

/** The codes of gRPC that a wrong setting causes. */
const codes = { notFound: 5, permissionDenied: 7, unauthenticated: 16 }

/** The text of a refusal is the server's, which may repeat the key, so it is not shown. */
function faultOf(error: unknown, { address, namespace, apiKey, tls }: TemporalServer): Error {
  const code = codeOf(error)
  if (code === codes.notFound) {
    return new WrongServerSetting(
      `TEMPORAL_NAMESPACE ${namespace}: not on the server at ${address}; expected an existing namespace. ` +
        'On Temporal Cloud its name is <name>.<account>; ' +
        `elsewhere \`temporal operator namespace create --namespace ${namespace}\` creates it`,
    )
  }
  if (code === codes.unauthenticated || code === codes.permissionDenied) {
    return new WrongServerSetting(
      apiKey === undefined && tls?.client === undefined
        ? `TEMPORAL_API_KEY: not set, and the server at ${address} demands a proof of identity; ` +
            'expected an API key, or TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH'
        : `${apiKey === undefined ? 'TEMPORAL_TLS_CLIENT_CERT' : 'TEMPORAL_API_KEY'}: refused by the server at ` +
            `${address}; expected a valid one with access to the namespace ${namespace}`,
    )
  }
  const reason = error instanceof Error ? error.message : String(error)
  const mode =
    tls === undefined
      ? 'without TLS (TEMPORAL_TLS=true uses TLS)'
      : 'whose certificate is trusted and names this address, and which accepts the certificate of this client'
  return new Error(`TEMPORAL_ADDRESS ${address}: no response, ${reason}; expected a Temporal server ${mode}`, {
    cause: error,
  })
}

function codeOf(error: unknown): number | undefined {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && typeof at.code === 'number') return at.code
  }
  return undefined
}

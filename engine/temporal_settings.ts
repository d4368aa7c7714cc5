import { z } from 'zod'

/** PEM text of a setting, or the path of its file. `setting` is the name of the variable, for errors. */
export type Pem = { setting: string; text: string } | { setting: string; path: string }

/** A Temporal server, and the proof of identity that it demands. */
export type TemporalServer = {
  address: string
  namespace: string
  taskQueue: string
  apiKey: string | undefined
  /** Undefined: without TLS. Its `ca` replaces the certificate authorities that the process trusts. */
  tls:
    | { serverName: string | undefined; ca: Pem | undefined; client: { certificate: Pem; key: Pem } | undefined }
    | undefined
}

// A key in the wrong variable is refused before a message about a missing file shows it.
const path = z.string().regex(/^(?!.*-----)[^\n]+$/, 'expected the path of a PEM file')
const pem = z
  .string()
  .regex(/^\s*-----BEGIN [^]+-----END [^]+-----\s*$/, 'expected PEM text, BEGIN and END lines included')

/**
 * The settings of a server. All but the task queue are those of Temporal's environment configuration
 * (https://docs.temporal.io/references/client-environment-configuration).
 */
export const temporalSettings = {
  TEMPORAL_ADDRESS: z
    .string()
    .regex(/^([^\s:/]+|\[[\da-f:]+\]):\d+$/i, 'expected a host and a port, such as localhost:7233')
    .optional()
    .describe('A Temporal server that runs the workflows; by default the process runs them'),
  TEMPORAL_NAMESPACE: z
    .string()
    .regex(/^[\w.-]+$/, 'expected the name of a namespace')
    .default('default')
    .describe('Its namespace'),
  TEMPORAL_TASK_QUEUE: z
    .string()
    .regex(/^[\w.-]+$/, 'expected a name of letters, digits, dots and dashes')
    .default('tapeline')
    .describe('The task queue; installations that share a namespace need one each'),
  TEMPORAL_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]+$/, 'expected an API key, without spaces')
    .optional()
    .describe('The API key that the server demands; it enables TLS'),
  TEMPORAL_TLS: z
    .enum(['true', 'false'], 'expected true or false')
    .optional()
    .describe('`true` uses TLS; by default an API key and every setting of TLS enable it'),
  TEMPORAL_TLS_CLIENT_CERT_PATH: path.optional().describe('The PEM file with the client certificate, for mTLS'),
  TEMPORAL_TLS_CLIENT_CERT_DATA: pem.optional().describe('The client certificate itself, instead of its file'),
  TEMPORAL_TLS_CLIENT_KEY_PATH: path.optional().describe('The PEM file with the private key of that certificate'),
  TEMPORAL_TLS_CLIENT_KEY_DATA: pem.optional().describe('The private key itself, instead of its file'),
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: path
    .optional()
    .describe('The PEM file with the authority that signs the certificate of the server'),
  TEMPORAL_TLS_SERVER_CA_CERT_DATA: pem.optional().describe('The certificate of that authority, instead of its file'),
  TEMPORAL_TLS_SERVER_NAME: z
    .string()
    .regex(/^[\w.-]+$/, 'expected the name of a host')
    .optional()
    .describe('The name in the certificate of the server, if it differs from the address'),
}

/** Whether no message may show the value: keys, and paths, in whose place a key may be. */
export const isTemporalSecret = (name: string): boolean => /^TEMPORAL_(API_KEY|TLS_\w+_(DATA|PATH))$/.test(name)

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that contradict each other, one sentence each. Takes the variables as they are set. */
export function temporalContradictions(env: Environment): string[] {
  const isSet = (name: string): boolean => env[name] !== undefined
  const pairs = ['CLIENT_CERT', 'CLIENT_KEY', 'SERVER_CA_CERT'].map((name) => `TEMPORAL_TLS_${name}`)
  const isGiven = (pair: string): boolean => isSet(`${pair}_PATH`) || isSet(`${pair}_DATA`)
  const faults = pairs
    .filter((pair) => isSet(`${pair}_PATH`) && isSet(`${pair}_DATA`))
    .map((pair) => `${pair}_DATA: set beside ${pair}_PATH; expected one of the two`)
  const [certificate = '', key = ''] = pairs
  if (isGiven(certificate) && !isGiven(key))
    faults.push(`${certificate}: no private key; expected ${key}_PATH or _DATA`)
  if (isGiven(key) && !isGiven(certificate))
    faults.push(`${key}: no certificate; expected ${certificate}_PATH or _DATA`)
  const securing = Object.keys(temporalSettings).filter((name) => isSet(name) && /^TEMPORAL_(API|TLS)/.test(name))
  if (!isSet('TEMPORAL_ADDRESS'))
    faults.push(...securing.map((name) => `${name}: no server; expected TEMPORAL_ADDRESS beside it`))
  // Without TLS the key would cross the network as plain text.
  const needing = securing.filter((name) => name !== 'TEMPORAL_TLS')
  if (env['TEMPORAL_TLS'] === 'false' && needing.length > 0)
    faults.push(`TEMPORAL_TLS=false: ${needing.join(', ')} set; expected true, or no such setting`)
  return faults
}

type Settings = z.infer<z.ZodObject<typeof temporalSettings>>

/** The server of parsed settings without contradictions; undefined: this process runs the workflows. */
export function temporalServer(set: Settings): TemporalServer | undefined {
  if (set.TEMPORAL_ADDRESS === undefined) return undefined
  const certificate = pemOf(set, 'TEMPORAL_TLS_CLIENT_CERT')
  const key = pemOf(set, 'TEMPORAL_TLS_CLIENT_KEY')
  const ca = pemOf(set, 'TEMPORAL_TLS_SERVER_CA_CERT')
  const serverName = set.TEMPORAL_TLS_SERVER_NAME
  const apiKey = set.TEMPORAL_API_KEY
  const client = certificate === undefined || key === undefined ? undefined : { certificate, key }
  const isSecured = set.TEMPORAL_TLS === 'true' || [apiKey, client, ca, serverName].some((value) => value !== undefined)
  return {
    address: set.TEMPORAL_ADDRESS,
    namespace: set.TEMPORAL_NAMESPACE,
    taskQueue: set.TEMPORAL_TASK_QUEUE,
    apiKey,
    tls: isSecured ? { serverName, ca, client } : undefined,
  }
}

type PemPair = 'TEMPORAL_TLS_CLIENT_CERT' | 'TEMPORAL_TLS_CLIENT_KEY' | 'TEMPORAL_TLS_SERVER_CA_CERT'

function pemOf(set: Settings, pair: PemPair): Pem | undefined {
  const [file, text] = [set[`${pair}_PATH`], set[`${pair}_DATA`]]
  if (file !== undefined) return { setting: `${pair}_PATH`, path: file }
  return text === undefined ? undefined : { setting: `${pair}_DATA`, text }
}

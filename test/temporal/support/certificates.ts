import { execFile, spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

export const hasOpenssl = spawnSync('openssl', ['version']).status === 0

/** A certificate and its private key, as PEM text and as files. */
export type Certificate = { certificate: string; key: string; certificatePath: string; keyPath: string }

/** The name in the certificates of servers. */
export const serverName = 'temporal.test'

/** An authority of its own in a folder, which signs certificates for a day. */
export async function makeAuthority(
  folder: string,
  name: string,
): Promise<Certificate & { sign: (name: string) => Promise<Certificate> }> {
  const config = join(folder, 'openssl.cnf')
  const sections = [
    '[req]\ndistinguished_name = subject\n[subject]',
    '[authority]\nbasicConstraints = critical, CA:TRUE\nkeyUsage = critical, keyCertSign',
    `[leaf]\nbasicConstraints = critical, CA:FALSE\nsubjectAltName = DNS:${serverName}`,
  ]
  await writeFile(config, `${sections.join('\n')}\n`)
  const make = async (subject: string, options: readonly string[]): Promise<Certificate> => {
    const [certificatePath, keyPath] = [join(folder, `${subject}.pem`), join(folder, `${subject}.key`)]
    const kind = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1', '-config', config]
    const files = ['-keyout', keyPath, '-out', certificatePath]
    await run('openssl', ['req', '-x509', ...kind, '-subj', `/CN=${subject}`, ...files, ...options])
    const [certificate, key] = [await readFile(certificatePath, 'utf8'), await readFile(keyPath, 'utf8')]
    return { certificate, key, certificatePath, keyPath }
  }
  const own = await make(name, ['-extensions', 'authority'])
  const signed = ['-extensions', 'leaf', '-CA', own.certificatePath, '-CAkey', own.keyPath]
  return { ...own, sign: (subject) => make(subject, signed) }
}

import { access, readdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** Where Debian's packages put the commands of each version. */
const debian = '/usr/lib/postgresql'

/**
 * The folder of PostgreSQL's `initdb` and `pg_ctl`: one of PATH, or of a Debian package; undefined if there is none.
 */
export async function findPostgres(path = process.env['PATH'] ?? ''): Promise<string | undefined> {
  const versions = (await readdir(debian).catch(() => [])).toSorted((a, b) => Number(b) - Number(a))
  for (const folder of [...path.split(delimiter), ...versions.map((version) => join(debian, version, 'bin'))]) {
    if ((await isThere(join(folder, 'initdb'))) && (await isThere(join(folder, 'pg_ctl')))) return folder
  }
  return undefined
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

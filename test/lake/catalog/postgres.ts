import { execFile } from 'node:child_process'
import { chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import pg from 'pg'

import { findPostgres } from '#scripts/postgres/find.ts'
import { freePort } from '#test/run/free_port.ts'
import { oncePerRun } from '#test/run/once.ts'

const run = promisify(execFile)

/** A PostgreSQL server of its own, on the loopback interface. */
export type PostgresServer = {
  /** Creates a database, and returns its URL. */
  newDatabase: () => Promise<string>
  stop: () => Promise<void>
}

/** The folder of the commands; undefined where PostgreSQL is missing. */
export const commands = await findPostgres()
if (commands === undefined)
  console.warn('skipped: PostgreSQL is missing; npx tsx scripts/postgres.ts as root installs it')

export async function startPostgres(): Promise<PostgresServer> {
  if (commands === undefined) throw new Error('PostgreSQL: missing; expected initdb and pg_ctl')
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-postgres-'))
  const owner = await serverOwner()
  if (owner !== undefined) await chown(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  const command = (name: string, ...args: string[]) => run(join(commands, name), args, { cwd: folder, ...owner })
  const initialize = () => command('initdb', '-D', data, '-U', 'tapeline', '-A', 'trust', '-E', 'UTF8')
  const initialized = await oncePerRun('postgres', async (path) => {
    await initialize()
    await run('mv', [data, path])
  })
  await (initialized === undefined ? initialize() : run('cp', ['-a', initialized, data]))
  const port = await freePort()
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1 -c fsync=off`
  await command('pg_ctl', '-D', data, '-o', options, '-l', join(folder, 'log'), '-w', 'start')
  const urlOf = (database: string): string => `postgres://tapeline@127.0.0.1:${port}/${database}`
  let n_databases = 0
  return {
    newDatabase: async () => {
      const client = new pg.Client(urlOf('postgres'))
      await client.connect()
      const name = `lake_${(n_databases += 1)}`
      await client.query(`create database ${name}`)
      await client.end()
      return urlOf(name)
    },
    stop: async () => {
      await command('pg_ctl', '-D', data, '-m', 'immediate', '-w', 'stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL refuses to run as root. */
async function serverOwner(): Promise<{ uid: number; gid: number } | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, 'postgres'])).stdout)),
  )
  return { uid: uid ?? 0, gid: gid ?? 0 }
}

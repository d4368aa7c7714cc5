import { commands, startPostgres } from '#test/lake/catalog/postgres.ts'

import { serverUrl } from './projects.ts'

/** Starts the PostgreSQL server of a run; vitest calls the returned function at the end. */
export async function setup(): Promise<() => Promise<void>> {
  if (commands === undefined) return async () => undefined
  const server = await startPostgres()
  process.env[serverUrl] = await server.newDatabase()
  return async () => {
    delete process.env[serverUrl]
    await server.stop()
  }
}

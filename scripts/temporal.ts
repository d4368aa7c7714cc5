import { buildTemporal } from './temporal/build.ts'
import { findTemporal } from './temporal/find.ts'

/**
 * `npx tsx scripts/temporal.ts`: prints the path of the `temporal` command, which holds Temporal's development server.
 * Where there is none it is built, which takes some minutes. Exits with 1 where it cannot be had, and says what to do.
 */
try {
  process.stdout.write(`${(await findTemporal()) ?? (await buildTemporal())}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

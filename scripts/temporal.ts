import { buildTemporal } from './temporal/build.ts'
import { findTemporal } from './temporal/find.ts'

/**
 * `npx tsx scripts/temporal.ts`: prints the path of the `temporal` command, which holds Temporal's development server.
 * A missing command is built, which takes some minutes. If it cannot be built, the exit code is 1 and the error names
 * the remedies.
 */
try {
  process.stdout.write(`${(await findTemporal()) ?? (await buildTemporal())}\n`)
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
}

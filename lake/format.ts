import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Rejects a lake of the former format, before anything of the home is opened or moved. Its files have other names, so
 * that a repair would take each of them for a damaged one.
 */
export function assertFormat(home: string): void {
  const marker = join(home, 'lake', 'lake.json')
  if (existsSync(marker)) {
    throw new Error(
      `${marker}: this lake is of format 1; expected format 2. Move the folder lake/ away and run \`tapeline backfill\`; ` +
        'or choose another TAPELINE_HOME',
    )
  }
}

/** Thrown when a newer version has changed a lake. This version would lose what it does not know. */
export class NewerLake extends Error {
  constructor(thing: string, problem: string) {
    super(`${thing}: ${problem}, which this version does not know; expected the newer version that wrote it`)
    this.name = 'NewerLake'
  }
}

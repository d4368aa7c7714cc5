import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** The version of anvil, Foundry's local node, that the tests run. */
export const version = '1.7.1'

/** The folder into which `npx tsx scripts/anvil.ts` installs it. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.anvil', version)

const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/** The npm package with the program for this machine, such as `@foundry-rs/anvil-linux-amd64`. */
export const packageName = `@foundry-rs/anvil-${process.platform}-${processors[process.arch] ?? process.arch}`

/** The program; undefined where it is not installed. Tests that need a node are skipped then. */
export function findAnvil(): string | undefined {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const program = join(folder, 'node_modules', packageName, 'bin', name)
  return existsSync(program) ? program : undefined
}

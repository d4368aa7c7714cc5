import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }

/**
 * The program of anvil, Foundry's local Ethereum node, from its npm package for this machine. Undefined where it is not
 * installed: it is a development dependency, and not every machine has a build of it.
 */
export function findAnvil(): string | undefined {
  const name = process.platform === 'win32' ? 'anvil.exe' : 'anvil'
  const platform = `@foundry-rs/anvil-${process.platform}-${processors[process.arch] ?? process.arch}`
  const { resolve } = createRequire(import.meta.url)
  const folderOf = (entry: string): string[] => {
    try {
      return [dirname(resolve(entry))]
    } catch {
      return []
    }
  }
  // Where npm left out the package of the platform, the installer of `@foundry-rs/anvil` put the program beside itself.
  const candidates = [
    ...folderOf(`${platform}/package.json`).map((folder) => join(folder, 'bin', name)),
    ...folderOf('@foundry-rs/anvil/package.json').map((folder) => join(folder, name)),
  ]
  return candidates.find((path) => existsSync(path))
}

import { execFile } from 'node:child_process'
import { mkdir, rm } from 'node:fs/promises'
import { promisify } from 'node:util'

import { findAnvil, folder, packageName, version } from './anvil/find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/anvil.ts`: installs anvil, Foundry's local Ethereum node, for the tests that read a real node. It is
 * an npm package for each platform. It is no dependency of `package.json`, since a lockfile lists all platforms.
 */
async function install(): Promise<string> {
  const found = findAnvil()
  if (found !== undefined) return found
  await mkdir(folder, { recursive: true })
  try {
    await run('npm', [
      'install',
      '--prefix',
      folder,
      '--no-save',
      '--no-audit',
      '--no-fund',
      `${packageName}@${version}`,
    ])
  } catch (error) {
    // Half an installation would be found by the next run.
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  const installed = findAnvil()
  if (installed === undefined) throw new Error(`${folder}: no anvil after its installation; expected the program`)
  return installed
}

console.log(await install())

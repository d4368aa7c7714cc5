import { execFile } from 'node:child_process'
import { createReadStream, createWriteStream } from 'node:fs'
import { chmod, mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { createBrotliDecompress } from 'node:zlib'

import { findChromium, folder, version } from './chromium/find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/chromium.ts`: installs Chromium without a window, for the tests of the pages. The npm package
 * `@sparticuz/chromium` holds it, compressed, with its libraries for Linux x64.
 */
async function install(): Promise<string> {
  const found = await findChromium()
  if (found !== undefined) return found.executablePath
  const part = `${folder}.part`
  try {
    await mkdir(part, { recursive: true })
    // Only files of the package are read, so the version of Node that its code needs does not matter.
    const options = [
      '--no-save',
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      '--engine-strict=false',
      '--no-package-lock',
    ]
    await run('npm', ['install', '--prefix', part, ...options, `@sparticuz/chromium@${version}`])
    const packed = join(part, 'node_modules', '@sparticuz', 'chromium', 'bin')
    await unpack(join(packed, 'chromium.br'), join(part, 'chromium'))
    await chmod(join(part, 'chromium'), 0o755)
    await unpack(join(packed, 'al2023.tar.br'), join(part, 'lib.tar'))
    await run('tar', ['-xf', join(part, 'lib.tar'), '-C', part])
    for (const name of ['node_modules', 'lib.tar']) await rm(join(part, name), { recursive: true })
    await mkdir(dirname(folder), { recursive: true })
    await rename(part, folder)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
  const installed = await findChromium()
  if (installed === undefined) throw new Error(`${folder}: no Chromium after its installation; expected the browser`)
  return installed.executablePath
}

const unpack = (from: string, to: string): Promise<void> =>
  pipeline(createReadStream(from), createBrotliDecompress(), createWriteStream(to))

console.log(await install())

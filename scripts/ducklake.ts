import { execFile } from 'node:child_process'
import { copyFile, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { extensions, findDuckLake, folder, version } from './ducklake/find.ts'

const run = promisify(execFile)

/**
 * `npx tsx scripts/ducklake.ts`: installs DuckDB's DuckLake extension for the tests that read a lake with it. The
 * extensions are Python packages; the machine needs `python3` with `pip`.
 */
async function install(): Promise<void> {
  if (findDuckLake() !== undefined) return console.log(`the extensions are in ${folder}`)
  await mkdir(folder, { recursive: true })
  const work = await mkdtemp(join(tmpdir(), 'tapeline-ducklake-'))
  try {
    for (const name of extensions) {
      const wheel = `duckdb-extension-${name.replaceAll('_', '-')}==${version}`
      await run('python3', ['-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', work, wheel])
    }
    for (const file of await readdir(work)) await run('python3', ['-m', 'zipfile', '-e', join(work, file), work])
    for (const name of extensions) {
      const own = join(work, `duckdb_extension_${name}`, 'extensions', `v${version}`, `${name}.duckdb_extension`)
      await copyFile(own, join(folder, `${name}.duckdb_extension`))
    }
  } finally {
    await rm(work, { recursive: true, force: true })
  }
  console.log(`installed the extensions in ${folder}`)
}

await install()

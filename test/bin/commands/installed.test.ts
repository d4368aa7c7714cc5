import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { expect, it } from 'vitest'

const repository = resolve(import.meta.dirname, '../../..')

it('runs as an installed package: Node strips no types in a folder of packages', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline installed-'))
  try {
    const root = join(folder, 'node_modules/tapeline')
    await mkdir(root, { recursive: true })
    const left = new Set(['.git', 'bench', 'data', 'docs', 'examples', 'node_modules', 'test'])
    for (const name of await readdir(repository))
      if (!left.has(name)) await cp(join(repository, name), join(root, name), { recursive: true })
    await symlink(join(repository, 'node_modules'), join(root, 'node_modules'))
    const command = ['backfill', 'polymarket_trades', '--from', '2026-01-01', '--to', '2026-01-02', '--dry-run']
    const outputs = [repository, root].map(async (cwd) => {
      const args = [join(cwd, 'bin/tapeline.js'), ...command]
      return (await promisify(execFile)(process.execPath, args, { env: { TAPELINE_HOME: join(folder, 'home') } }))
        .stdout
    })
    const [here, installed] = await Promise.all(outputs)
    expect(installed).toBe(here)
    expect(installed).toContain('polymarket_trades')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { findTemporal } from '#scripts/temporal/find.ts'

const genuine = 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)'

describe('the command temporal', () => {
  let root: string
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'tapeline-find-'))
  })
  afterAll(() => rm(root, { recursive: true, force: true }))

  /** A folder with a command that prints a line. */
  const folderWith = async (name: string, command: string, says: string): Promise<string> => {
    const folder = join(root, name)
    await mkdir(folder, { recursive: true })
    await writeFile(join(folder, command), `#!/bin/sh\nprintf '%b\\n' '${says}'\n`)
    await chmod(join(folder, command), 0o755)
    return folder
  }

  it('is the first one on the path that holds a server', async () => {
    const other = await folderWith('other', 'temporal', 'temporal: a planner of appointments, version 3')
    const first = await folderWith('first', 'temporal', genuine)
    const second = await folderWith('second', 'temporal', genuine)
    expect(await findTemporal({ PATH: `${other}:${first}:${second}` })).toBe(join(first, 'temporal'))
    expect(await findTemporal({ PATH: other })).toBeUndefined()
  })

  it('is the one that is named, or an error', async () => {
    const named = join(await folderWith('named', 'temporal', genuine), 'temporal')
    const PATH = await folderWith('first', 'temporal', genuine)
    expect(await findTemporal({ TEMPORAL_CLI: named, PATH })).toBe(named)
    const missing = join(root, 'nowhere')
    await expect(findTemporal({ TEMPORAL_CLI: missing, PATH })).rejects.toThrow(
      `TEMPORAL_CLI ${missing}: not the command temporal; expected`,
    )
  })

  it('is looked for where Go puts what it installs', async () => {
    const built = await folderWith('paths/bin', 'temporal', genuine)
    const go = await folderWith('go', 'go', `\\n${join(root, 'paths')}:/elsewhere`)
    expect(await findTemporal({ PATH: go })).toBe(join(built, 'temporal'))
    const goWithBin = await folderWith('go-bin', 'go', `${built}\\n/elsewhere`)
    expect(await findTemporal({ PATH: goWithBin })).toBe(join(built, 'temporal'))
  })

  it('is nowhere where there is neither it nor Go', async () => {
    expect(await findTemporal({ PATH: join(root, 'nowhere') })).toBeUndefined()
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'

import { afterEach, beforeEach, describe, expect, test } from 'vitest'

import { openLake } from '#lake/lake.ts'
import { openFolder } from '#storage/folder.ts'
import { openScratch } from '#storage/scratch.ts'

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'tapeline-scratch-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

describe('scratch folders', () => {
  test('of processes that died are removed, those of the living and our own are not', async () => {
    const child = spawn(process.execPath, ['-e', '0'])
    await once(child, 'exit')
    const own = await openScratch(root)
    // A process with our number that died before us left the first of these.
    const left = [`${hostname()}-${process.pid}-0badcafe`, `${hostname()}-${child.pid}-0badcafe`]
    const kept = [`${hostname()}-${process.ppid}-0badcafe`]
    for (const name of [...left, ...kept]) await mkdir(join(root, name, 'reader_1'), { recursive: true })
    await mkdir(own, { recursive: true })
    const other = await openScratch(root)
    expect(other).not.toBe(own)
    expect((await readdir(root)).toSorted()).toEqual([...kept, own.slice(root.length + 1)].toSorted())
  })

  test('of another container, whose processes have the same numbers, are left to it for a day', async () => {
    const [theirs, old] = [`worker-2-${process.pid}-0badcafe`, `worker-1-${process.pid}-0badcafe`]
    for (const name of [theirs, old]) await mkdir(join(root, name, 'reader_1'), { recursive: true })
    const longAgo = new Date(Date.now() - 2 * 86_400_000)
    await utimes(join(root, old), longAgo, longAgo)
    await openScratch(root)
    expect(await readdir(root)).toEqual([theirs])
  })

  test('of a host whose name begins with the name of this one are left to it for a day', async () => {
    const child = spawn(process.execPath, ['-e', '0'])
    await once(child, 'exit')
    const theirs = [`${hostname()}-${child.pid}-1-0badcafe`, `${hostname()}-blue-${process.pid}-0badcafe`]
    for (const name of theirs) await mkdir(join(root, name, 'reader_1'), { recursive: true })
    await openScratch(root)
    expect((await readdir(root)).toSorted()).toEqual(theirs.toSorted())
  })
})

describe('a lake', () => {
  test('of another format is refused in a sentence', async () => {
    const storage = openFolder(root)
    await storage.put('lake/lake.json', Buffer.from('{"format":1,"world":"real"}'))
    await expect(openLake(root, { threads: 1, memory: '256MB' })).rejects.toThrow(
      /lake\.json: this lake is of format 1; expected format 2/,
    )
  })
})

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test, vi } from 'vitest'

import { oncePerRun, runFolder } from './once.ts'

/** A run of its own, whose folder is gone when the test has ended. */
async function newRun(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-once-'))
  vi.stubEnv(runFolder, folder)
  onTestFinished(async () => {
    vi.unstubAllEnvs()
    await rm(folder, { recursive: true })
  })
  return folder
}

test('a shared input is made by the first caller, and other callers wait for it', async () => {
  const folder = await newRun()
  let n = 0
  const ask = (): Promise<string | undefined> => oncePerRun('thing', (path) => writeFile(path, String(++n)))
  const paths = await Promise.all([ask(), ask(), ask()])
  expect(paths).toEqual(Array(3).fill(join(folder, 'thing')))
  expect(await readFile(join(folder, 'thing'), 'utf8')).toBe('1')
  expect(await readdir(folder)).toEqual(['thing'])
})

test('a failed input leaves no files, and is made by the next caller', async () => {
  const folder = await newRun()
  const failing = async (path: string): Promise<void> => {
    await writeFile(path, 'half')
    throw new Error('no space')
  }
  await expect(oncePerRun('thing', failing)).rejects.toThrow('no space')
  expect(await readdir(folder)).toEqual([])
  const made = await oncePerRun('thing', (path) => writeFile(path, 'whole'))
  expect(await readFile(made ?? '', 'utf8')).toBe('whole')
})

test('outside a run there is no shared input', async () => {
  vi.stubEnv(runFolder, undefined)
  onTestFinished(() => void vi.unstubAllEnvs())
  expect(await oncePerRun('thing', () => Promise.reject(new Error('is not called')))).toBeUndefined()
})

import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'

import { describe, expect, test } from 'vitest'

import { openFolder } from '#storage/folder.ts'
import { newHome } from '#test/lake/fixture.ts'

const bytes = (text: string): Buffer => Buffer.from(text)
const open = async () => {
  const root = await newHome()
  return { root, storage: openFolder(root) }
}

describe('paths', () => {
  test('are listed below a folder, sorted, with forward slashes', async () => {
    const { storage } = await open()
    for (const path of ['lake/b/2.parquet', 'lake/a/1.parquet', 'lake/b/10.parquet', 'raw/x']) {
      await storage.put(path, bytes(path))
    }
    expect(await storage.list('lake')).toEqual(['lake/a/1.parquet', 'lake/b/10.parquet', 'lake/b/2.parquet'])
    expect(await storage.list('nowhere')).toEqual([])
    expect(await storage.list('raw/x')).toEqual([])
  })

  test('of nothing give nothing, and deleting nothing is fine', async () => {
    const { storage } = await open()
    expect(await storage.get('lake/none')).toBeUndefined()
    await storage.put('lake/one', bytes('1'))
    expect(await storage.get('lake/one/below')).toBeUndefined()
    await storage.delete('lake/none')
    await storage.delete('lake/one')
    expect(await storage.list('lake')).toEqual([])
  })
})

test('a list has all files that stay, while folders beside them come and go', async () => {
  const { root, storage } = await open()
  await storage.put('lake/kept/file', bytes('1'))
  let isOver = false
  const comeAndGo = async (): Promise<void> => {
    while (!isOver) {
      await mkdir(join(root, 'lake/a/b/c'), { recursive: true })
      await rm(join(root, 'lake/a'), { recursive: true })
    }
  }
  const coming = comeAndGo()
  const lists: string[][] = []
  for (let n = 0; n < 300; n++) lists.push(await storage.list('lake'))
  isOver = true
  await coming
  expect(lists).toEqual(lists.map(() => ['lake/kept/file']))
})

describe('put', () => {
  test('replaces in one step: a reader sees one body or the other', async () => {
    const { storage } = await open()
    const bodies = ['a', 'b'].map((letter) => Buffer.alloc(300_000, letter))
    const whole = new Set(bodies.map(String))
    await storage.put('x', Buffer.alloc(300_000, 'a'))
    let isWriting = true
    const write = async (): Promise<void> => {
      for (let n = 0; n < 100; n++) await storage.put('x', bodies[n % 2] ?? bytes(''))
      isWriting = false
    }
    const read = async (): Promise<number> => {
      let n = 0
      for (; isWriting; n++) {
        const body = await storage.get('x')
        expect(body !== undefined && whole.has(String(body))).toBe(true)
        expect(await storage.list('')).toEqual(['x'])
      }
      return n
    }
    const [n] = await Promise.all([read(), write()])
    expect(n).toBeGreaterThan(0)
  })

  test('moves a finished file in', async () => {
    const { root, storage } = await open()
    const file = join(root, 'scratch-file')
    await writeFile(file, 'rows')
    await storage.put('lake/a/rows', { file })
    expect(await storage.get('lake/a/rows')).toEqual(bytes('rows'))
    expect(await stat(file).catch(() => 'gone')).toBe('gone')
  })

  test('that fails leaves nothing behind', async () => {
    const { root, storage } = await open()
    await mkdir(join(root, 'lake', 'taken'), { recursive: true })
    await expect(storage.put('lake/taken', bytes('x'))).rejects.toThrow()
    expect(await readdir(join(root, 'lake'))).toEqual(['taken'])
  })

  test('of a process that died half-way is invisible', async () => {
    const { root, storage } = await open()
    await storage.put('lake/a', bytes('whole'))
    await writeFile(join(root, 'lake', 'b.tmp-77'), 'ha')
    expect(await storage.list('lake')).toEqual(['lake/a'])
  })
})

test('a file gets another path, and nothing has none', async () => {
  const { storage } = await open()
  await storage.put('lake/a', bytes('a'))
  expect(await storage.move('lake/a', 'damaged/lake/a')).toBe(true)
  expect(await storage.move('lake/a', 'damaged/lake/a')).toBe(false)
  expect([await storage.list('lake'), await storage.list('damaged')]).toEqual([[], ['damaged/lake/a']])
  expect(await buffer(storage.read('damaged/lake/a'))).toEqual(bytes('a'))
  expect(await readFile(await storage.localFile('damaged/lake/a'))).toEqual(bytes('a'))
  await expect(buffer(storage.read('lake/a'))).rejects.toThrow('ENOENT')
})

test('a file that cannot be moved stays', async () => {
  const { root, storage } = await open()
  await storage.put('lake/a', bytes('a'))
  await mkdir(join(root, 'taken', 'below'), { recursive: true })
  await expect(storage.move('lake/a', 'taken')).rejects.toThrow()
  expect(await storage.get('lake/a')).toEqual(bytes('a'))
})

import { mkdir, readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { openFolder } from '#storage/folder.ts'
import { etagOf } from '#storage/storage.ts'
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

describe('put', () => {
  test('replaces in one step: whoever reads sees one body or the other', async () => {
    const { storage } = await open()
    const bodies = ['a', 'b'].map((letter) => Buffer.alloc(300_000, letter))
    const whole = new Set(bodies.map(etagOf))
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
        expect(body !== undefined && whole.has(etagOf(body))).toBe(true)
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

describe('putIfMatch', () => {
  const lockOfX = 'x.json.tmp-lock'
  const race = (storage: ReturnType<typeof openFolder>, etag: string | null): Promise<boolean[]> =>
    Promise.all(Array.from({ length: 20 }, (_, n) => storage.putIfMatch('x.json', bytes(`racer ${n}`), etag)))

  test('lets exactly one of 20 create, and what it wrote stands', async () => {
    const { storage } = await open()
    const won = await race(storage, null)
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(String(await storage.get('x.json'))).toBe(`racer ${won.indexOf(true)}`)
  })

  test('lets exactly one of 20 replace a version, and none of 20 an older one', async () => {
    const { storage } = await open()
    await storage.put('x.json', bytes('first'))
    const won = await race(storage, etagOf(bytes('first')))
    expect(won.filter(Boolean)).toHaveLength(1)
    expect((await race(storage, etagOf(bytes('first')))).filter(Boolean)).toHaveLength(0)
    expect((await race(storage, null)).filter(Boolean)).toHaveLength(0)
    expect(String(await storage.get('x.json'))).toBe(`racer ${won.indexOf(true)}`)
  })

  test('leaves no lock behind, also when it fails', async () => {
    const { root, storage } = await open()
    await mkdir(join(root, 'x.json'))
    await expect(storage.putIfMatch('x.json', bytes('1'), null)).rejects.toThrow()
    expect(await readdir(root)).toEqual(['x.json'])
  })

  test('is refused while somebody else is at it', async () => {
    const { root, storage } = await open()
    const lock = join(root, lockOfX)
    await writeFile(lock, '')
    expect(await storage.putIfMatch('x.json', bytes('1'), null)).toBe(false)
    expect(await storage.list('')).toEqual([])
  })

  test('takes the lock of a process that died, and still only one of 20 wins', async () => {
    for (let round = 0; round < 10; round++) {
      const { root, storage } = await open()
      const lock = join(root, lockOfX)
      await writeFile(lock, '')
      await utimes(lock, 0, 0)
      expect((await race(storage, null)).filter(Boolean).length).toBeLessThanOrEqual(1)
      await storage.putIfMatch('x.json', bytes('last'), null)
      expect(await storage.get('x.json')).toBeDefined()
      expect(await readdir(root)).toEqual(['x.json'])
    }
  })

  test('also when it died while it was taking such a lock', async () => {
    const { root, storage } = await open()
    const lock = join(root, lockOfX)
    for (const file of [lock, `${lock}-cleaning`]) {
      await writeFile(file, '')
      await utimes(file, 0, 0)
    }
    expect(await storage.putIfMatch('x.json', bytes('1'), null)).toBe(true)
    expect(await readdir(root)).toEqual(['x.json'])
  })

  test('says what is wrong instead of losing for ever', async () => {
    const { storage } = await open()
    await expect(storage.putIfMatch('x'.repeat(250), bytes('1'), null)).rejects.toThrow('ENAMETOOLONG')
  })
})

describe('pin', () => {
  test('holds files as they are now, whatever is put or deleted later', async () => {
    const { root, storage } = await open()
    await storage.put('lake/a.parquet', bytes('old'))
    await storage.put('lake/b.parquet', bytes('b'))
    const names = await storage.pin(['lake/a.parquet', 'lake/gone.parquet', 'lake/b.parquet'], join(root, 'pins'))
    await storage.put('lake/a.parquet', bytes('new'))
    await storage.delete('lake/b.parquet')
    expect(await Promise.all(names.map((name) => readFile(name, 'utf8')))).toEqual(['old', 'b'])
    expect(names.map((name) => dirname(name))).toEqual([join(root, 'pins'), join(root, 'pins')])
    expect(String(await storage.get('lake/a.parquet'))).toBe('new')
  })
})

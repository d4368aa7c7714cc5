import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

import { readBack, type Page, type Until } from '#sources/social/read_back.ts'

/** Pages of ids; the cursor of a page is its place. */
async function read(
  pages: readonly (readonly string[])[],
  known: readonly string[],
  {
    until = 'known',
    mostPages = 10,
    isCapped = false,
    isOld,
    nextOf = (place) => (place + 1 < pages.length ? String(place + 1) : undefined),
  }: {
    until?: Until
    mostPages?: number
    isCapped?: boolean
    isOld?: (id: string) => boolean
    nextOf?: (place: number) => string | undefined
  } = {},
) {
  const found = new Map<string, string>()
  let n_read = 0
  const pageAt = async (cursor: string | undefined): Promise<Page<string>> => {
    n_read += 1
    const place = Number(cursor ?? 0)
    return { rows: pages[place] ?? [], next: nextOf(place) }
  }
  const unseenOf = async (ids: readonly string[]) => new Set(ids.filter((id) => !known.includes(id)))
  const idOf = (id: string): string => id
  const ended = await readBack({ pageAt, idOf, rowById: found, unseenOf, isOld, until, mostPages, isCapped })
  return { ended, found: [...found.keys()], n_read }
}

const pages = [['e', 'd'], ['c', 'b'], ['a']]

describe('a list', () => {
  test('is read back to the page with a known post, which is kept too', async () => {
    expect(await read(pages, ['b', 'a'])).toEqual({ ended: 'known', found: ['e', 'd', 'c', 'b'], n_read: 2 })
  })

  test('that overlaps others is read back to a page of known posts alone', async () => {
    const all = { until: 'all known' } as const
    expect(await read(pages, ['d', 'c', 'b'], all)).toEqual({ ended: 'known', found: ['e', 'd', 'c', 'b'], n_read: 2 })
    expect(await read(pages, ['e', 'b'], all)).toMatchObject({ ended: 'end', n_read: 3 })
  })

  test('without a known post is read to its end, or is cut after the most pages', async () => {
    expect(await read(pages, [])).toEqual({ ended: 'end', found: ['e', 'd', 'c', 'b', 'a'], n_read: 3 })
    expect(await read(pages, [], { mostPages: 2 })).toMatchObject({ ended: 'cut', n_read: 2 })
    expect(await read([[]], [])).toMatchObject({ ended: 'end', n_read: 1 })
    expect(await read([[]], [], { until: 'all known' })).toMatchObject({ ended: 'end', n_read: 1 })
  })

  test('is read on after a page without posts that has a cursor', async () => {
    const holed = [['e', 'd'], [], ['c', 'b']]
    for (const until of ['known', 'all known'] as const)
      expect(await read(holed, ['b'], { until })).toMatchObject({ found: ['e', 'd', 'c', 'b'], n_read: 3 })
  })

  test('whose cursors go round is cut, and no page of it is asked for again', async () => {
    expect(await read(pages, [], { nextOf: () => '1' })).toMatchObject({ ended: 'cut', n_read: 2 })
    expect(await read(pages, [], { nextOf: (place) => String((place + 1) % 3) })).toMatchObject({ ended: 'cut' })
  })

  test('is read back to a row that is older than the reading before, also if no reading stores such rows', async () => {
    const isOld = (id: string) => id === 'c'
    expect(await read(pages, [], { isOld })).toMatchObject({ ended: 'known', n_read: 2 })
  })

  test('whose upstream ends it after the most pages is cut there, and whole if it ends before', async () => {
    expect(await read(pages, [], { mostPages: 3, isCapped: true })).toMatchObject({ ended: 'cut', n_read: 3 })
    expect(await read(pages, [], { mostPages: 4, isCapped: true })).toMatchObject({ ended: 'end', n_read: 3 })
  })

  test('that repeats a post on two pages has it once, and repeats alone are no known posts', async () => {
    expect(
      await read(
        [
          ['c', 'b', 'b'],
          ['b', 'a'],
        ],
        [],
      ),
    ).toEqual({ ended: 'end', found: ['c', 'b', 'a'], n_read: 2 })
  })
})

test('every post that is newer than the newest known one is found', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 8 }),
      fc.nat(40),
      fc.constantFrom<Until>('known', 'all known'),
      async (sizes, n_known, until) => {
        let next = sizes.reduce((sum, size) => sum + size, 0)
        const list = sizes.map((size) => Array.from({ length: size }, () => String(next--)))
        const posts = list.flat()
        const known = posts.filter((id) => Number(id) <= n_known)
        const { ended, found } = await read(list, known, { until })
        expect(found).toEqual(expect.arrayContaining(posts.filter((id) => !known.includes(id))))
        expect(ended === 'end').toBe(
          until === 'known' ? known.length === 0 : !list.some((page) => page.every((id) => known.includes(id))),
        )
      },
    ),
  )
})

import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { describe, expect, test } from 'vitest'

import { newHome } from '#test/lake/fixture.ts'

import { runMain } from './run_main.ts'

describe('a command that cannot run is refused with exit code 2:', () => {
  test('a home that is a file', async () => {
    const file = join(await newHome(), 'file')
    await writeFile(file, '')
    for (const args of [['status'], ['backfill', '--from', '2026-01-01'], ['key', 'create', '--tier', 'pro']]) {
      const { code, err } = await runMain(args, { TAPELINE_HOME: file })
      expect(err).toBe(`tapeline: TAPELINE_HOME: ${file} is a file; expected a folder\n`)
      expect(code).toBe(2)
    }
  })

  test('scores as of the future', async () => {
    const home = await newHome()
    const { code, out, err } = await runMain(['score', '--as-of', '2100-01-01'], { TAPELINE_HOME: home })
    expect(err).toMatch(/^tapeline: --as-of: in the future; expected a past instant, or no --as-of for the present\n/)
    expect([code, out]).toEqual([2, ''])
  })
})

test('scores of a snapshot that the lake does not keep fail before a run begins', async () => {
  const home = await newHome()
  const { code, out, err } = await runMain(['score', '--lake-snapshot', '9999'], { TAPELINE_HOME: home })
  expect(err).toMatch(/^tapeline score: lake snapshot 9999: it is not kept; expected one from \d+ to \d+\n$/)
  expect([code, out]).toEqual([1, ''])
  expect(await readdir(home)).not.toContain('history.ndjson')
})

test('a home that cannot be created fails with a sentence', async () => {
  const file = join(await newHome(), 'file')
  await writeFile(file, '')
  const home = join(file, 'home')
  const { code, err } = await runMain(['backfill', '--from', '2026-01-01'], { TAPELINE_HOME: home })
  expect(err).toBe(`tapeline backfill: ${home}: cannot be created (ENOTDIR); expected a folder to write\n`)
  expect(code).toBe(1)
})

test.runIf(existsSync('/proc/self'))(
  'a home below a folder that takes none fails, where Node would go on for ever',
  async () => {
    for (const [home, fault] of [
      ['/proc/tapeline/home', 'cannot be created'],
      ['/proc/tapeline', 'cannot be created'],
      ['/proc/self', 'takes no folders'],
      ['/proc', 'takes no folders'],
    ] as const) {
      const { code, err } = await runMain(['backfill', '--from', '2026-01-01'], { TAPELINE_HOME: home })
      expect(err).toBe(`tapeline backfill: ${home}: ${fault} (ENOENT); expected a folder to write\n`)
      expect(code).toBe(1)
    }
  },
)

test('a file of the home that cannot be opened fails with a sentence', async () => {
  const home = await newHome()
  const file = join(home, 'accounts.db')
  await mkdir(file)
  const { code, err } = await runMain(['account', 'list'], { TAPELINE_HOME: home })
  expect(err).toBe(`tapeline account list: ${file}: cannot be opened; expected a file that can be written\n`)
  expect(code).toBe(1)
})

test.each([['status'], ['key', 'create', '--tier', 'pro']])(
  'a database that does not answer is named: %s',
  async (...args) => {
    const settings = { TAPELINE_HOME: await newHome(), DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/tapeline' }
    const { code, err } = await runMain(args, settings)
    expect(err).toMatch(
      /: DATABASE_URL: no response, connect ECONNREFUSED 127\.0\.0\.1:1; expected a PostgreSQL server\n$/,
    )
    expect([code, err.includes('secret')]).toEqual([1, false])
  },
)

test('a missing home leaves nothing beside it', async () => {
  const above = await newHome()
  await runMain(['key', 'create', '--tier', 'pro'], { TAPELINE_HOME: join(above, 'some', 'home') })
  expect(await readdir(above)).toEqual(['some'])
})

describe('a command that only reads makes no home:', () => {
  test.each([
    ['status'],
    ['status', '--json'],
    ['validate', '--at', '2026-01-01', '--horizon', '30d'],
    ['verify'],
    ['repair'],
    ['reparse', 'polymarket_trades'],
    ['maintain'],
    ['maintain', '--dry-run'],
    ['ask', 'who', 'are', 'the', 'sharpest', 'traders'],
    ['account', 'list'],
    ['key', 'list', 'person@example.org'],
  ])('%s %s', async (...args) => {
    const above = await newHome()
    const home = join(above, 'home')
    const { code, out, err } = await runMain(args, { TAPELINE_HOME: home })
    const name = ['account', 'key'].includes(args[0]) ? `${args[0]} ${args[1]}` : args[0]
    expect(err).toBe(
      `tapeline ${name}: home ${home}: does not exist; expected a folder of \`tapeline backfill\` or \`tapeline start\`\n`,
    )
    expect([code, out, await readdir(above)]).toEqual([1, '', []])
  })

  test('the dry run of a backfill', async () => {
    const above = await newHome()
    const args = ['backfill', 'polymarket_markets', '--from', '2026-01-01', '--dry-run', '--json']
    const { code, out } = await runMain(args, { TAPELINE_HOME: join(above, 'home') })
    expect([code, JSON.parse(out)]).toMatchObject([0, [{ source: 'polymarket_markets', units: 1 }]])
    expect(await readdir(above)).toEqual([])
  })

  test('a revoked key', async () => {
    const above = await newHome()
    const { code, err } = await runMain(['key', 'revoke', 'tl_live_unknown'], { TAPELINE_HOME: join(above, 'home') })
    expect(err).toMatch(/^tapeline key revoke: key: unknown or revoked; expected a valid key/)
    expect([code, await readdir(above)]).toEqual([1, []])
  })
})

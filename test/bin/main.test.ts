import { writeFile } from 'node:fs/promises'
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

test('a home that cannot be created fails with a sentence', async () => {
  const file = join(await newHome(), 'file')
  await writeFile(file, '')
  const home = join(file, 'home')
  const { code, err } = await runMain(['backfill', '--from', '2026-01-01'], { TAPELINE_HOME: home })
  expect(err).toBe(`tapeline backfill: ${home}: cannot be created (ENOTDIR); expected a folder to write\n`)
  expect(code).toBe(1)
})

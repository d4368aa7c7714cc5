import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'
import { z } from 'zod'

import { runMain } from '#test/bin/run_main.ts'
import { newHome } from '#test/lake/fixture.ts'

const shape = z.object({ snapshot: z.string(), lakeSnapshot: z.number() })

test('tables of a named snapshot of the lake are served only where that is asked for', async () => {
  const home = await newHome()
  const score = async (...more: string[]) => {
    const { code, out, err } = await runMain(['score', '--json', ...more], { TAPELINE_HOME: home })
    expect(code, err).toBe(0)
    return { ...shape.parse(JSON.parse(out)), err }
  }
  const served = () => readFile(join(home, 'marts', 'current.json'), 'utf8')

  const first = await score()
  const before = await served()
  expect(before).toContain(first.snapshot)

  const again = ['--lake-snapshot', String(first.lakeSnapshot)]
  const former = await score(...again)
  expect(former.err).toContain(`not served: the API keeps ${first.snapshot}; --serve replaces it\n`)
  expect(await served()).toBe(before)

  const asked = await score(...again, '--serve')
  expect(asked.err).not.toContain('not served')
  expect(await served()).toContain(asked.snapshot)
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { ApiError } from '#api/contract/errors.ts'
import { referencePages } from '#api/pages/reference_pages.ts'
import { references } from '#scripts/pages/index.ts'

/** Calls a route; the type and the text that it sends. */
async function ask(routes: ReturnType<typeof referencePages>, path: string): Promise<string[]> {
  const sent: string[] = []
  const send = (body: Buffer) => void sent.push(body.toString())
  const response = {
    type: (type: string) => {
      sent.push(type)
      return { send }
    },
  }
  await routes[path]?.({} as never, response as never)
  return sent
}

test('every reference that is rendered has a route', async () => {
  const names = Object.keys(await references()).map((name) => `/docs/${name}`)
  expect(Object.keys(referencePages('docs'))).toEqual(names)
})

test('a reference is shown once it is rendered; before, the error names the command', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-references-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const routes = referencePages(folder)
  const missing = await ask(routes, '/docs/metrics.md').catch((error: unknown) => error)
  expect(missing).toBeInstanceOf(ApiError)
  expect(missing).toMatchObject({ status: 404, message: expect.stringContaining('`npm run docs`') })
  await writeFile(join(folder, 'metrics.md'), '# Tables\n')
  expect(await ask(routes, '/docs/metrics.md')).toEqual(['text/markdown', '# Tables\n'])
})

import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, test } from 'vitest'

import { findOpenApiTools, folder } from '#scripts/openapi_tools/find.ts'
import { startServed } from '#test/api/attack/served.ts'

const run = promisify(execFile)
const tools = await findOpenApiTools()
if (tools === undefined)
  console.warn('skipped: the OpenAPI tools are missing; npx tsx scripts/openapi_tools/install.ts installs them')
const { npm, python } = tools ?? { npm: '', python: '' }

let served: Awaited<ReturnType<typeof startServed>>
let dir: string
beforeAll(async () => {
  served = await startServed()
  dir = await mkdtemp(join(tmpdir(), 'tapeline-clients-'))
  const response = await fetch(`http://127.0.0.1:${served.port}/openapi.json`)
  await writeFile(join(dir, 'openapi.json'), await response.text())
})
afterAll(async () => {
  await served.stop()
  await rm(dir, { recursive: true })
})

/** The fenced example of a page, in a language. */
const exampleOf = (page: string, language: string): string =>
  new RegExp(`\`\`\`${language}\n([^]*?)\`\`\``).exec(page)?.[1] ?? `no example in ${language}`

const compilerOptions = {
  module: 'NodeNext',
  target: 'ES2022',
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  types: ['node'],
  typeRoots: [join(import.meta.dirname, '..', '..', '..', 'node_modules', '@types')],
}

describe.skipIf(tools === undefined)('the OpenAPI description', () => {
  test('has no fault that a linter finds', async () => {
    const { stdout } = await run(join(npm, 'redocly'), ['lint', '--format', 'json', 'openapi.json'], { cwd: dir })
    expect(JSON.parse(stdout)).toMatchObject({ totals: { errors: 0, warnings: 0 }, problems: [] })
  })

  test('gives a TypeScript client that compiles and runs as the documentation shows it', async () => {
    const page = await readFile(join(import.meta.dirname, '..', '..', '..', 'docs', 'api.md'), 'utf8')
    await run(join(npm, 'openapi-typescript'), ['openapi.json', '-o', 'tapeline.d.ts'], { cwd: dir })
    await symlink(join(folder, 'node_modules'), join(dir, 'node_modules'))
    await writeFile(join(dir, 'package.json'), '{"type":"module"}')
    await writeFile(join(dir, 'client.ts'), exampleOf(page, 'ts'))
    await writeFile(join(dir, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['client.ts'] }))
    await run('npx', ['tsc', '--project', join(dir, 'tsconfig.json')])
    const env = { ...process.env, TAPELINE_URL: `http://127.0.0.1:${served.port}`, TAPELINE_KEY: served.keys.pro }
    const { stdout } = await run('npx', ['tsx', join(dir, 'client.ts')], { env })
    expect(stdout).toMatch(/^0x[0-9a-fA-F]{40} -?\d/m)
  })

  test('gives a Python client that reads the leaderboard', async () => {
    const path = `${python}:${process.env['PATH'] ?? ''}`
    const args = [
      'generate',
      '--path',
      'openapi.json',
      '--output-path',
      'client',
      '--meta',
      'none',
      '--fail-on-warning',
    ]
    await run(join(python, 'openapi-python-client'), args, { cwd: dir, env: { ...process.env, PATH: path } })
    const program = `
from client import AuthenticatedClient
from client.api.data import get_pm_traders
tapeline = AuthenticatedClient(base_url='http://127.0.0.1:${served.port}/v1', token='${served.keys.pro}')
print([trader.wallet for trader in get_pm_traders.sync(client=tapeline, limit=3)])`
    const { stdout } = await run(join(python, 'python'), ['-c', program], { cwd: dir })
    expect(stdout).toMatch(/^\[('0x[0-9a-fA-F]{40}'(, )?)+\]$/m)
  })
})

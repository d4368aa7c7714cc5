import { access, readdir, readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { expect, it } from 'vitest'

import { createProgram } from '#bin/command_line/program.ts'
import { loadCommands } from '#bin/commands/index.ts'
import manifest from '#package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..', '..')
const docs = (await readdir(join(root, 'docs'), { recursive: true })).map((name) => join('docs', name))
const files = ['README.md', 'bench/README.md', 'examples/README.md', 'CONTRIBUTING.md', ...docs].filter((name) =>
  name.endsWith('.md'),
)

const namesIn = async (folder: string): Promise<string[]> =>
  (await readdir(join(root, folder))).filter((name) => name.endsWith('.ts')).map((name) => name.slice(0, -3))

const program = createProgram(await loadCommands(), async () => undefined)
const scripts: Readonly<Record<string, readonly string[]>> = {
  bench: await namesIn('bench'),
  soak: await namesIn('scripts/soak'),
}

const exists = (path: string): Promise<boolean> =>
  access(join(root, path)).then(
    () => true,
    () => false,
  )

/** Whether a command that a page quotes can be run. Commands of other programs are not judged. */
async function isKnown(command: string): Promise<boolean> {
  const [first = '', second = '', third = '', ...rest] = command.split(/\s+/)
  if (first === 'tapeline') return second === 'help' || program.commands.some((each) => each.name() === second)
  if (first === 'npm' && second === 'run') {
    const of = scripts[third]
    const [separator, name] = rest
    if (of !== undefined && separator === '--' && name !== undefined) return of.includes(name)
    return third in manifest.scripts
  }
  if (first === 'npx' && second === 'tsx') return exists(third)
  if (first === 'npx' && second === 'vitest') return exists(rest[0] ?? '')
  return true
}

it.each(files)('%s quotes commands that exist', async (file) => {
  const text = await readFile(join(root, file), 'utf8')
  const quoted = [...text.matchAll(/`((?:npm|npx|tapeline) [^`\n]+)`/g)].map(([, command = '']) => command)
  const lines = [...text.matchAll(/^(?:\$ )?((?:npm run|npx tsx|tapeline) [^\n`|]+)$/gm)].map(([, line = '']) => line)
  const unknown: string[] = []
  for (const command of [...quoted, ...lines]) if (!(await isKnown(command))) unknown.push(command)
  expect(unknown).toEqual([])
})

import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { nameOf } from '#bin/command_line/faults.ts'
import { createProgram } from '#bin/command_line/program.ts'
import { loadCommands } from '#bin/commands/index.ts'
import { settingsOf } from '#config.ts'
import manifest from '#package.json' with { type: 'json' }

const root = resolve(import.meta.dirname, '..', '..')
const read = (name: string): Promise<string> => readFile(join(root, name), 'utf8')

/** The first cell of every row of a page's tables, without its ticks. */
const firstCells = (text: string): string[] =>
  [...text.matchAll(/^\| `([^`]+)`/gm)].map(([, cell = '']) => cell.replaceAll('\\|', '|'))

describe('what is written by hand', () => {
  it('names every command as it is used', async () => {
    const program = createProgram(await loadCommands(), async () => undefined)
    const leaves = (command: (typeof program.commands)[number]): (typeof program.commands)[number][] =>
      command.commands.length === 0 ? [command] : command.commands.flatMap(leaves)
    const usages = program.commands.flatMap(leaves).map((command) => `${nameOf(command)} ${command.usage()}`.trimEnd())
    expect(firstCells(await read('docs/running.md'))).toEqual(expect.arrayContaining(usages))
  })

  it('names every setting that is not internal, and no other', async () => {
    const named = firstCells(await read('docs/running.md')).filter((cell) => /^[A-Z_]+$/.test(cell))
    const listed = settingsOf().filter(({ page }) => page === 'running')
    expect(named.toSorted()).toEqual(listed.map(({ name }) => name).toSorted())
    const hosts = await read('docs/sources.md')
    const addresses = settingsOf().filter(({ page }) => page === 'sources')
    expect(addresses.filter(({ name }) => !hosts.includes(`\`${name}\``))).toEqual([])
  })

  it('justifies every dependency and no other', async () => {
    const named = firstCells(await read('docs/decisions/0001-dependencies.md'))
    expect(named.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted())
  })

  it('names every venue and platform that is read', async () => {
    const readme = (await read('README.md')).toLowerCase().replace('4chan', 'fourchan')
    const names = ['markets', 'social'].flatMap((area) =>
      readdirSync(join(root, 'sources', area), { withFileTypes: true }).filter((entry) => entry.isDirectory()),
    )
    expect(names.map(({ name }) => name).filter((name) => !new RegExp(`\\b${name}\\b`).test(readme))).toEqual([])
  })
})

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { nameOf } from '#bin/command_line/faults.ts'
import { createProgram } from '#bin/command_line/program.ts'
import { loadCommands } from '#bin/commands/index.ts'
import { settingsOf } from '#config.ts'
import manifest from '#package.json' with { type: 'json' }
import { sources } from '#sources/index.ts'

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

  it('names every setting and no other', async () => {
    const named = firstCells(await read('docs/running.md')).filter((cell) => /^[A-Z_]+$/.test(cell))
    expect(named.toSorted()).toEqual(
      settingsOf()
        .map(({ name }) => name)
        .toSorted(),
    )
  })

  it('justifies every dependency and no other', async () => {
    const named = firstCells(await read('docs/decisions/0001-dependencies.md'))
    expect(named.toSorted()).toEqual(Object.keys(manifest.dependencies).toSorted())
  })
  it('counts the sources as they are', async () => {
    const families = ['polymarket', 'limitless', 'kalshi', 'evm', 'solana']
    const counts = families.map((family) => sources.filter(({ name }) => name.startsWith(`${family}_`)).length)
    const n_posts = sources.length - counts.reduce((sum, count) => sum + count)
    const [, line = ''] = /^- \[sources\]\(docs\/sources\.md\): ([^;]+);/m.exec(await read('README.md')) ?? []
    const words = [
      'none',
      'one',
      'two',
      'three',
      'four',
      'five',
      'six',
      'seven',
      'eight',
      'nine',
      'ten',
      'eleven',
      'twelve',
    ]
    const named = line.split(/\s+/).flatMap((word) => (words.includes(word) ? [words.indexOf(word)] : []))
    expect(named).toEqual([...counts, n_posts])
  })
})

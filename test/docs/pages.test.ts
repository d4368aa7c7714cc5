import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { builtinTables } from '#builder/builtin_tables.ts'
import { describedTables } from '#scripts/pages/columns.ts'
import { pages, references } from '#scripts/pages/index.ts'
import { fill, table } from '#scripts/pages/markdown.ts'

const folder = resolve(import.meta.dirname, '..', '..', 'docs')
const rendered = await pages()
const reference = await references()

describe('the rendered pages', () => {
  it.each(Object.entries(rendered))('docs/%s is what the code says; if not, run `npm run docs`', async (name, text) => {
    expect(await readFile(join(folder, name), 'utf8')).toBe(text)
  })

  it('describe every dataset, source, mart and endpoint', () => {
    for (const dataset of ['markets', 'fills', 'activity', 'resolutions', 'quotes', 'coverage', 'quarantine']) {
      expect(reference['datasets.md']).toContain(`## ${dataset}\n`)
    }
    expect(rendered['sources.md']).toContain('## polymarket_trades\n')
    expect(reference['metrics.md']).toContain('### marts.pm_wallet\n')
    expect(rendered['api.md']).toContain('## GET /v1/pm-traders\n')
  })
})

describe('the references', () => {
  it('have a description for each table', () => {
    const bare = /^##+ (\S+)\n\n(?:`{1,3}|Reads )/gm
    for (const text of [reference['datasets.md'], reference['metrics.md']])
      expect([...(text ?? '').matchAll(bare)].map(([, name]) => name)).toEqual([])
  })

  it('have every table, which the page in git lists too', async () => {
    for (const id of (await describedTables()).keys()) {
      const [layer = '', name = ''] = id.split('.')
      if (layer === 'meta' || id in builtinTables) continue
      const heading = layer === 'lake' ? `## ${name}\n` : `### ${id}\n`
      expect(reference[layer === 'lake' ? 'datasets.md' : 'metrics.md']).toContain(heading)
      expect(rendered['reference.md']).toContain(`\`${name}\``)
    }
  })

  it('have a meaning for each column', () => {
    const rows = (reference['columns.md'] ?? '').split('\n').filter((line) => line.startsWith('| `'))
    expect(rows.length).toBeGreaterThan(500)
    expect(rows.filter((row) => /\| *\|$/.test(row))).toEqual([])
  })
})

describe('a handwritten page', () => {
  it('keeps its text around the marks, and is refused without them', () => {
    const text = 'a\n\n<!-- list: rendered -->\n\nold\n\n<!-- /list -->\n\nb\n'
    expect(fill(text, 'list', 'new $1')).toBe(text.replace('old', () => 'new $1'))
    expect(() => fill(text, 'other', '')).toThrow('marks of other: missing')
  })
})

describe('a table', () => {
  it('pads its columns and keeps a bar inside a cell', () => {
    expect(table(['a', 'word'], [['x|y', '1']])).toBe('| a    | word |\n| ---- | ---- |\n| x\\|y | 1    |')
  })
})

import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { pages } from '#scripts/pages/index.ts'
import { table } from '#scripts/pages/markdown.ts'

const folder = resolve(import.meta.dirname, '..', '..', 'docs')
const rendered = await pages()

describe('the rendered pages', () => {
  it.each(Object.entries(rendered))('docs/%s is what the code says; if not, run `npm run docs`', async (name, text) => {
    expect(await readFile(join(folder, name), 'utf8')).toBe(text)
  })

  it('describe every dataset, source, mart and endpoint', () => {
    for (const dataset of ['markets', 'fills', 'activity', 'resolutions', 'quotes', 'coverage', 'quarantine']) {
      expect(rendered['datasets.md']).toContain(`## ${dataset}\n`)
    }
    expect(rendered['sources.md']).toContain('## polymarket_trades\n')
    expect(rendered['metrics.md']).toContain('### marts.pm_wallet\n')
    expect(rendered['api.md']).toContain('## GET /v1/pm-traders\n')
  })
})

describe('a table', () => {
  it('pads its columns and keeps a bar inside a cell', () => {
    expect(table(['a', 'word'], [['x|y', '1']])).toBe('| a    | word |\n| ---- | ---- |\n| x\\|y | 1    |')
  })
})

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { describe, expect, onTestFinished, test } from 'vitest'

import { loadModels, parseModel } from '#builder/load.ts'
import { layers, type FoldModel } from '#builder/model.ts'
import { accountSources } from '#registry/venues/index.ts'
import { loadScoring } from '#scoring/index.ts'

describe('the text of a model', () => {
  test('is what a row is, its columns, and a select', () => {
    const text = '-- What the book said.\n-- Both sides.\n-- columns: market_id, ts;\n-- mid?\nselect 1 -- one\n;\n'
    const model = parseModel('core', 'odds', text)
    expect(model).toMatchObject({ kind: 'sql', layer: 'core', name: 'odds', doc: 'What the book said.\nBoth sides.' })
    expect(model.columns.map(({ name, isKey }) => [name, isKey])).toEqual([
      ['market_id', true],
      ['ts', true],
      ['mid', false],
    ])
    expect(model.sql).toBe('select 1 -- one')
  })

  test('without columns, doc or select is refused by its file name', () => {
    const parse = (text: string) => () => parseModel('core', 'odds', text)
    expect(parse('-- What.\nselect 1')).toThrow(
      'core/odds.sql: header: no columns; expected a line "-- columns: key; rest"',
    )
    expect(parse('-- columns: a\nselect 1')).toThrow(
      'core/odds.sql: header: no description; expected comment lines before the columns',
    )
    expect(parse('-- What.\n-- columns: a')).toThrow(
      'core/odds.sql: select: missing; expected one plain select after the header',
    )
    expect(parse('-- What.\n-- columns: a\n\n;\n')).toThrow(
      'core/odds.sql: select: missing; expected one plain select after the header',
    )
    expect(parse('-- What.\n-- columns: A!\nselect 1')).toThrow('core/odds.sql: column "A!"')
  })

  test('of a mart names its publication, `scores` by default, outside its doc', () => {
    const of = (line: string, layer: 'core' | 'marts' = 'marts') =>
      parseModel(layer, 'odds', `-- What.\n${line}-- columns: a\nselect 1 as a`)
    expect(of('').publication).toBe('scores')
    expect(of('-- publication: pulse\n')).toMatchObject({ publication: 'pulse', doc: 'What.' })
    expect(of('-- publication: scores\n')).toMatchObject({ publication: 'scores', doc: 'What.' })
    expect(() => of('-- publication: hourly\n')).toThrow(
      'marts/odds.sql: publication: unknown "hourly"; expected scores, pulse',
    )
    expect(() => of('-- publication: pulse\n', 'core')).toThrow('core/odds.sql: publication: only marts are published')
  })

  test('of a table that is not stored says so', () => {
    const text = '-- What.\n-- stored: no\n-- columns: a\nselect 1 as a'
    const model = parseModel('core', 'x', text)
    expect([model.doc, model.isStored]).toEqual(['What.', false])
    expect(parseModel('core', 'x', text.replace('-- stored: no\n', '')).isStored).toBe(true)
    expect(() => parseModel('marts', 'x', text)).toThrow('stored: a mart is a table')
  })

  test('of a table that needs no order says so', () => {
    const text = '-- What.\n-- ordered: no\n-- columns: a\nselect 1 as a'
    const model = parseModel('core', 'x', text)
    expect([model.doc, model.isOrdered]).toEqual(['What.', false])
    expect(parseModel('core', 'x', text.replace('-- ordered: no\n', '')).isOrdered).toBe(true)
    expect(() => parseModel('marts', 'x', text)).toThrow('ordered: no derived table')
    expect(() => parseModel('core', 'x', text.replace('ordered', 'stored: no\n-- ordered'))).toThrow(
      'ordered: no derived',
    )
  })

  test('of a table of numbers names the columns of number and name', () => {
    const text = '-- What.\n-- numbers: a_index by a_id\n-- columns: a_index; a_id\nselect 1 as a_index, 2 as a_id'
    const { doc, numbers } = parseModel('core', 'x', text)
    expect([doc, numbers]).toEqual(['What.', { number: 'a_index', name: 'a_id' }])
    expect(parseModel('core', 'x', text.replace(/-- numbers.*\n/, '')).numbers).toBeNull()
  })

  test('states the meanings of columns, which are no part of the description', () => {
    const text = '-- What.\n-- column roi: The result over the cost\n-- columns: a; roi\nselect 1 as a, 2 as roi'
    const { doc, meanings } = parseModel('metrics', 'x', text)
    expect([doc, meanings]).toEqual(['What.', { roi: 'The result over the cost' }])
    expect(() => parseModel('metrics', 'x', text.replace('columns: a; roi', 'columns: a; rio'))).toThrow(
      'metrics/x.sql: column roi: not in the table',
    )
  })

  test('of a mart of the pulse says what it prunes', () => {
    const of = (prunes: string, publish = 'pulse') =>
      parseModel(
        'marts',
        'odds',
        `-- What.\n-- publication: ${publish}\n-- prune: ${prunes}\n-- columns: a\nselect 1 as a`,
      )
    const { doc, prunes } = of('fills older than 24 hours, fills of accounts')
    expect([doc, prunes]).toEqual([
      'What.',
      [{ table: 'fills', hours: 24 }, ...accountSources.map((source) => ({ table: 'fills', source }))],
    ])
    const lines = of('fills older than 24 hours\n-- prune: activity of accounts')
    expect([lines.doc, lines.prunes]).toEqual([
      'What.',
      [{ table: 'fills', hours: 24 }, ...accountSources.map((source) => ({ table: 'activity', source }))],
    ])
    expect(() => of('old fills')).toThrow(
      'marts/odds.sql: "old fills": not a pruning; expected "fills older than 24 hours"',
    )
    expect(() => of('fills older than 1 hours', 'scores')).toThrow('prune: scores needs every row')
  })
})

describe('a folder of models', () => {
  test('gives every .sql file once, a fold keeping the file that is its input', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tapeline-'))
    onTestFinished(() => rm(folder, { recursive: true }))
    for (const layer of layers) await mkdir(join(folder, layer))
    await writeFile(join(folder, 'core', 'b.sql'), '-- B.\n-- columns: x\nselect 1 as x')
    await writeFile(join(folder, 'core', 'ledger.sql'), 'select 1 as x')
    await writeFile(join(folder, 'core', 'notes.md'), 'no model')
    await writeFile(join(folder, 'staging', 'a.sql'), '-- A.\n-- columns: x\nselect 1 as x')
    const fold: FoldModel = { ...parseFold(), layer: 'core', name: 'ledger' }
    const models = await loadModels(folder, [fold])
    expect(models.map(({ kind, layer, name }) => `${kind} ${layer}.${name}`)).toEqual([
      'fold core.ledger',
      'sql staging.a',
      'sql core.b',
    ])
  })

  const parseFold = (): FoldModel => ({
    kind: 'fold',
    layer: 'core',
    name: '',
    doc: 'A fold.',
    sql: 'select 1 as x',
    outputs: {},
    fold: async () => {},
  })

  test('of scoring is documented: each table by a sentence', async () => {
    const models = await loadScoring()
    expect(models.length).toBeGreaterThan(20)
    for (const { layer, name, doc } of models) expect(`${layer}.${name}: ${doc}`).toMatch(/: [A-Z][^]*\.$/)
  })
})

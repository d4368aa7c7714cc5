import { describe, expect, test } from 'vitest'

import { parseMacro } from '#builder/load.ts'
import { signature } from '#builder/model.ts'

const text = `-- Why it is so.
--
--   part  what it says
-- parameter: id
-- columns: part, size?, amount? DECIMAL(38,6),
-- ref?
select 'a' as part, 1 as size, 2 as amount, id as ref;
`

describe('the file of a macro', () => {
  test('says its meaning, its subject, and in which columns', () => {
    expect(parseMacro('explain_it', text)).toEqual({
      name: 'explain_it',
      parameter: 'id',
      options: [],
      doc: 'Why it is so.\n\n  part  what it says',
      columns: [
        { name: 'part', sql: 'VARCHAR', isNullable: false },
        { name: 'size', sql: 'DECIMAL(38,6)', isNullable: true },
        { name: 'amount', sql: 'DECIMAL(38,6)', isNullable: true },
        { name: 'ref', sql: 'VARCHAR', isNullable: true },
      ],
      sql: `select 'a' as part, 1 as size, 2 as amount, id as ref`,
    })
  })

  test('names its options, which are null unless given', () => {
    const optional = text.replace('parameter: id\n', 'parameter: id\n-- options: since, until\n')
    const { parameter, options } = parseMacro('explain_it', optional)
    expect(signature(parameter, options)).toBe('id, since := null, until := null')
  })

  test.each([
    ['a parameter', text.replace('-- parameter: id\n', ''), 'header: incomplete'],
    ['columns', text.replace('columns:', 'rows:'), 'header: incomplete'],
    ['words', text.replace(/^-- Why.*\n--\n.*says\n/, ''), 'header: no description'],
    ['a select', text.replace(/^select.*\n/m, ''), 'select: missing'],
    ['names in its columns', text.replace('part, size?', 'part, Size?'), 'explain_it.sql: column "Size?"'],
  ])('without %s is an error that names it', (_, broken, reason) => {
    expect(broken).not.toBe(text)
    expect(() => parseMacro('explain_it', broken)).toThrow(reason)
  })
})

import { expect, test } from 'vitest'

import { modelOf, run, withTables } from './model.ts'

test('the runner refuses rows of a table that a model does not read, and columns that a table does not have', async () => {
  await expect(run('staging.quotes', { 'lake.fills': [] })).rejects.toThrow('staging.quotes does not read lake.fills')
  await expect(run('staging.quotes', { 'lake.quotes': [{ price: 1 }] })).rejects.toThrow(
    'lake.quotes has no column price',
  )
  expect(() => modelOf('staging.nothing')).toThrow('there is no model staging.nothing')
  await expect(withTables(modelOf('staging.quotes'), {}, () => Promise.reject(new Error('mine')))).rejects.toThrow(
    'mine',
  )
})

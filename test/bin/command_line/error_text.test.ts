import { describe, expect, test } from 'vitest'

import { errorText } from '#bin/command_line/error_text.ts'

const errorOf = (message: string, more: object): Error => Object.assign(new Error(message), more)

describe('an error of the database', () => {
  test.each([
    ['no server', errorOf('connect ECONNREFUSED 127.0.0.1:1', { syscall: 'connect', code: 'ECONNREFUSED' })],
    ['no host', errorOf('getaddrinfo ENOTFOUND nowhere', { syscall: 'getaddrinfo', code: 'ENOTFOUND' })],
    ['no database', errorOf('database "nope" does not exist', { code: '3D000' })],
    ['a wrong password', errorOf('password authentication failed for user "ann"', { code: '28P01' })],
    ['refused rights', errorOf('permission denied for schema public', { code: '42501' })],
  ])('%s: names DATABASE_URL, the reason and what is expected, in one line', (_, error) => {
    const text = errorText(error, { database: true })
    expect(text).toMatch(/^DATABASE_URL: .*; expected a (PostgreSQL server|database that its user may change)$/)
    expect(text).toContain(error.message)
    expect(errorText(new Error('lake: not opened', { cause: error }), { database: true })).toBe(text)
    // Without the setting it is another server.
    expect(errorText(error, { database: false })).toBe(error.message)
  })

  test('any other error keeps its text', () => {
    expect(errorText(errorOf('duplicate key value', { code: '23505' }), { database: true })).toBe('duplicate key value')
  })
})

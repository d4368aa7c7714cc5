import { expect, test } from 'vitest'

import { withAuthorSecret } from '#bin/wiring/accounts.ts'
import { parseConfig } from '#config.ts'
import { newHome } from '#test/lake/fixture.ts'

const given = 'a-secret-that-the-operator-has-set-here'

/** The secrets that the sources of a home hash authors with. */
async function secretsOf(home: string, env: Record<string, string> = {}): Promise<Set<unknown>> {
  const sources = await withAuthorSecret(parseConfig({ TAPELINE_HOME: home, ...env }))
  const hashing = sources.filter(({ settings }) => settings?.['authorSecret'] !== undefined)
  expect(hashing.length).toBeGreaterThan(3)
  return new Set(hashing.map(({ values }) => values?.['authorSecret']))
}

test('an installation makes one secret for the ids of authors, which stays', async () => {
  const [one, other] = [await newHome(), await newHome()]
  const made = [await secretsOf(one), await secretsOf(one), await secretsOf(other)]
  expect(made.map(({ size }) => size)).toEqual([1, 1, 1])
  expect(made[1]).toEqual(made[0])
  expect(made[2]).not.toEqual(made[0])
  expect([...(made[0] ?? [])]).toEqual([expect.stringMatching(/^[\w-]{43}$/)])
})

test('a secret of the settings is used as it is, and is in no error', async () => {
  expect(await secretsOf(await newHome(), { TAPELINE_AUTHOR_SECRET: given })).toEqual(new Set([given]))
  expect(() => parseConfig({ TAPELINE_AUTHOR_SECRET: 'too-short-secret' })).toThrow(
    /^TAPELINE_AUTHOR_SECRET: invalid; expected a secret of at least 32 characters, without spaces$/,
  )
})

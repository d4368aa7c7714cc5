import { resolve } from 'node:path'

import { expect, test } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'

/** The places that may test the text of a reason, and why. */
const allowed: Readonly<Record<string, string>> = {
  'lake/catalog/former_reasons.ts': 'gives the sentences of former versions their codes',
  'accounts/accounts.ts': 'reads the error of the library of migrations, which has no code',
}

const subject = String.raw`\w*(?:reason|failure|contradiction|proof)\b`
const tests = [
  String.raw`${subject}[?!]?\.(?:startsWith|endsWith|includes|match|matchAll|search|split|indexOf|slice)\(`,
  String.raw`\.(?:test|exec)\(${subject}`,
  String.raw`\b(?:starts_with|ends_with|contains|regexp_\w+|prefix|suffix|instr|strpos|split_part)\([^\n]*\breason\b`,
  String.raw`\breason\s+(?:not\s+)?(?:like|ilike|similar|glob|~)`,
  String.raw`(?<!typeof )\breason\s*(?:===?|!==?|<>)\s*['\x60$]`,
  String.raw`(?<!typeof )\b\w+_reason\s*[=!]==\s*(?!null|undefined)\w`,
].map((text) => new RegExp(text, 'i'))

const isTest = (line: string): boolean => tests.some((pattern) => pattern.test(line))

test('no code tests the text of a reason, which is for people: codes are in lake/reasons.ts', async () => {
  const files = [...(await repositoryFiles(resolve(import.meta.dirname, '..', '..')))].filter(
    ([path]) => /^(?!test\/).*\.(?:ts|sql)$/.test(path) && allowed[path] === undefined,
  )
  expect(files.map(([path]) => path)).toContain('ingest/plan.ts')
  const found = files.flatMap(([path, text]) =>
    text.split('\n').flatMap((line, n) => (isTest(line) ? [`${path}:${n + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

test.each([
  "coalesce(starts_with(reason, 'contradicted: '), false)",
  "if (reason.endsWith('did not parse')) return",
  'entry.reason?.split("; ")',
  "not contains(coalesce(reason, ''), $fault)",
  "where reason like 'contradicted%'",
  "regexp_matches(reason, '^[0-9]+ rows')",
  '/did not parse$/.test(reason)',
  "unit.reason === 'gone'",
  'figures.unlisted_reason !== notPulled',
  '/^[0-9]+ posts read/.exec(proof)',
])('finds %s', (line) => {
  expect(isTest(line)).toBe(true)
})

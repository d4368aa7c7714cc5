import { resolve } from 'node:path'

import { isIdentifier, isJsxAttribute, isPropertyAccessExpression, type Node } from 'typescript/unstable/ast'
import { createVirtualFileSystem } from 'typescript/unstable/fs'
import { API } from 'typescript/unstable/sync'
import { expect, test } from 'vitest'

import { repositoryFiles } from '#scripts/structure/files.ts'

/** The folders and files whose declarations are read. */
const rooms =
  'activities builder config.ts engine ingest lake scoring signals snapshots sources storage time.ts validation workflows'.split(
    ' ',
  )

/** Words that do not say what a value is or what a function does. */
const banned = new Set(['of', 'one', 'own', 'known', 'given', 'found'])

/** The declarations of banned names in files by path, as `path:line: name`. The files are parsed, and not checked. */
function offences(files: ReadonlyMap<string, string>): string[] {
  const compilerOptions = { noResolve: true, noLib: true, types: [], jsx: 'preserve', module: 'esnext' }
  const at = (path: string): string => `/house/${path}`
  const config = [at('tsconfig.json'), JSON.stringify({ compilerOptions, files: [...files.keys()] })]
  const texts = [...files].map(([path, text]) => [at(path), text])
  const api = new API({ fs: createVirtualFileSystem(Object.fromEntries([config, ...texts])) })
  try {
    const [project] = api.updateSnapshot({ openProjects: [at('tsconfig.json')] }).getProjects()
    return [...files].flatMap(([path, text]) => {
      const source = project?.program.getSourceFile(at(path))
      if (source === undefined) throw new Error(`${path}: not parsed; expected a source file`)
      return bannedIn(source).map((name) => {
        const line = text.slice(0, name.end).split('\n').length
        return `${path}:${line}: ${name.text}`
      })
    })
  } finally {
    api.close()
  }
}

/** The banned names that a node and those below it declare. An access or an attribute names another declaration. */
function bannedIn(node: Node): { text: string; end: number }[] {
  const name = 'name' in node && !isPropertyAccessExpression(node) && !isJsxAttribute(node) ? (node.name as Node) : null
  const declared = name && isIdentifier(name) && banned.has(name.text) ? [name] : []
  const below: { text: string; end: number }[] = []
  node.forEachChild((child) => {
    below.push(...bannedIn(child))
  })
  return [...declared, ...below]
}

test.each([
  ['a variable', 'const found = rows.find(isOpen)', 'found'],
  ['a variable of a loop', 'for (const one of rows) use(one)', 'one'],
  ['a parameter', 'const first = (of: readonly string[]) => of[0]', 'of'],
  ['a parameter with a default', 'function first(known = new Set<string>()) { return known }', 'known'],
  ['the rest of the parameters', 'const all = (...given: string[]) => given', 'given'],
  ['a function', 'async function* known() {}', 'known'],
  ['a binding', 'const { rows: [own] } = answer', 'own'],
  ['the rest of an object', 'const { id, ...of } = run', 'of'],
  ['an error', 'try { run() } catch (given) { log(given) }', 'given'],
  ['an import', "import { x as of } from './x.ts'", 'of'],
  ['an export', "export { x as of } from './x.ts'", 'of'],
  ['a property', 'const answer = { found: rows }', 'found'],
  ['a shorthand property', 'const answer = { found }', 'found'],
  ['a property of a type', 'type Answer = { found?: number }', 'found'],
  ['a method of a type', 'type Answer = { known(): number }', 'known'],
  ['a parameter of a type', 'type Take = (one: string) => void', 'one'],
  ['an element', 'const shown = <b>{rows.map((one) => one.name)}</b>', 'one'],
])('%s with such a name is reported', (_, line, name) => {
  const planted = `// Characters – not bytes.\nconst a = 1\n${line}\n`
  expect(offences(new Map([['api/planted.tsx', planted]]))).toEqual([`api/planted.tsx:3: ${name}`])
})

test.each([
  ['a keyword', 'for (const row of rows) use(row)'],
  ['a property of another declaration', 'const { found: market } = answer\nuse(answer.found, answer)'],
  ['an attribute', 'const shown = <Rows of={markets} />'],
  ['a key that is a text', "const body = { 'of': 1 }"],
  ['a longer name', 'const knownIds = new Set()'],
  ['a text or a comment', "const name = 'known' // The known ids."],
])('%s is not reported', (_, text) => {
  expect(offences(new Map([['api/planted.tsx', text]]))).toEqual([])
})

test('every declaration of the product has a name that says what it is', async () => {
  const files = [...(await repositoryFiles(resolve(import.meta.dirname, '..', '..')))]
  const sources = files.filter(([path]) => rooms.includes(path.split('/')[0] ?? '') && /\.tsx?$/.test(path))
  expect(sources.length).toBeGreaterThan(400)
  expect(offences(new Map(sources))).toEqual([])
})

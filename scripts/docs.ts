import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { pages, references } from './pages/index.ts'

/** `npm run docs`: renders the pages that derive from the code. With `references`, only those that are not in git. */
const folder = resolve(import.meta.dirname, '..', 'docs')
const rendered = process.argv[2] === 'references' ? {} : await pages()
await mkdir(folder, { recursive: true })
for (const [name, text] of Object.entries({ ...rendered, ...(await references()) })) {
  await writeFile(join(folder, name), text)
  process.stdout.write(`docs/${name}\n`)
}

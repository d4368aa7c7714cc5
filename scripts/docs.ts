import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { pages } from './pages/index.ts'

/** `npm run docs`: renders the pages that derive from the code. A test compares them. */
const folder = resolve(import.meta.dirname, '..', 'docs')
for (const [name, text] of Object.entries(await pages())) {
  await writeFile(join(folder, name), text)
  process.stdout.write(`docs/${name}\n`)
}

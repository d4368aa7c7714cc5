import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { pages } from './pages/index.ts'

/** `npm run docs`: writes the pages that follow from the code. A test holds them equal. */
const folder = resolve(import.meta.dirname, '..', 'docs')
for (const [name, text] of Object.entries(await pages())) {
  await writeFile(join(folder, name), text)
  process.stdout.write(`docs/${name}\n`)
}

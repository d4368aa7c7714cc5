import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { factsTable, listsTable } from './chains/facts_table.ts'
import { packages, readLists } from './chains/public_lists.ts'

/**
 * `npx tsx scripts/chain_facts.ts <folder>`: renders `registry/chains/facts.ndjson` and `lists.ndjson` from the public
 * lists that are installed in a folder outside the repository. Without a folder it prints the packages:
 * `npm install --ignore-scripts --legacy-peer-deps --prefix <folder> $(npx tsx scripts/chain_facts.ts)`.
 */
const [folder] = process.argv.slice(2)
if (folder === undefined) process.stdout.write(`${packages.join(' ')}\n`)
else {
  const lists = await readLists(resolve(folder))
  const registry = join(resolve(import.meta.dirname, '..'), 'registry', 'chains')
  await writeFile(join(registry, 'facts.ndjson'), factsTable(lists))
  await writeFile(join(registry, 'lists.ndjson'), listsTable(lists))
}

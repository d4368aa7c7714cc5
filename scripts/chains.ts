import { writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { viemTable } from './chains/viem_table.ts'

/**
 * `npx tsx scripts/chains.ts`: renders the chains of viem's registry into `registry/chains/viem.ndjson`. A test compares them.
 */
const file = join(resolve(import.meta.dirname, '..'), 'registry', 'chains', 'viem.ndjson')
await writeFile(file, viemTable())
process.stdout.write(`${file}\n`)

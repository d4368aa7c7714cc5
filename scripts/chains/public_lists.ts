import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { z } from 'zod'

import type { Claims } from './claims.ts'
import { readers, type Open } from './list_readers.ts'

/** A package with facts of chains, and what it says of them. */
export type PublicList = Claims & { name: string; package: string; version: string; licence: string }

/** The licence of a package without a field of it, by its file. */
const licences: Readonly<Record<string, string>> = {
  '@circle-fin/provider-cctp-v2': 'Apache-2.0',
  '@thirdweb-dev/chains': 'Apache-2.0',
}
const manifestShape = z.object({ version: z.string(), license: z.string().optional() })

const parseJson = (text: string): unknown => JSON.parse(text)

/** The packages of the lists. */
export const packages: readonly string[] = Object.values(readers).map((reader) => reader.package)

/** Reads every list from a folder in which its packages are installed. */
export async function readLists(folder: string): Promise<PublicList[]> {
  const resolve = createRequire(join(folder, 'package.json')).resolve
  return Promise.all(
    Object.entries(readers).map(async ([name, { package: from, read }]) => {
      const root = join(folder, 'node_modules', from)
      const { version, license } = manifestShape.parse(JSON.parse(await readFile(join(root, 'package.json'), 'utf8')))
      const open: Open = async (file) => {
        if (file?.endsWith('?text') === true) return readFile(join(root, file.slice(0, -'?text'.length)), 'utf8')
        if (file?.endsWith('.json') === true) return parseJson(await readFile(join(root, file), 'utf8'))
        return import(pathToFileURL(file === undefined ? resolve(from) : join(root, file)).href)
      }
      const claims = { wrapped: [], tokens: [], dollars: [], explorers: [], ...(await read(open)) }
      return { name, package: from, version, licence: license ?? licences[from] ?? 'unknown', ...claims }
    }),
  )
}

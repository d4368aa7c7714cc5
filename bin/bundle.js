import { existsSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import { keepCompiled, loadTypeScript } from './typescript.js'

/** @typedef {typeof import('./main.ts')} Main */

const root = fileURLToPath(new URL('../', import.meta.url))
const list = `${root}dist/sources.json`

/**
 * Imports the command line. `scripts/bundle/bundle.ts` builds a bundle, which loads in half of the time. Without one,
 * or after a change of a source, the sources are loaded.
 *
 * @returns {Promise<Main>}
 */
export async function loadMain() {
  const bundle = existsSync(list) ? await loadBundle() : undefined
  if (bundle !== undefined) return bundle
  await loadTypeScript()
  return import('./main.ts')
}

/** The bundle; undefined if it is not that of the present sources. */
async function loadBundle() {
  keepCompiled()
  // Loading has no effects, so it may come before the check. The objects of the check make V8 collect garbage early,
  // and loading after it takes a fifth longer. A bundle of former sources may fail to load.
  /** @type {Promise<Main>} */
  const loading = import('#dist/main.mjs')
  const [loaded] = await Promise.allSettled([loading])
  if (!sources().every(isUnchanged)) return undefined
  if (loaded.status === 'rejected') throw loaded.reason
  return loaded.value
}

/** @typedef {[path: string, size: number, changed_s: number]} Source A source as it was when the bundle was built. */

const sources = () => /** @type {Source[]} */ (JSON.parse(readFileSync(list, 'utf8')))

/**
 * Images of containers keep whole seconds of the times of files.
 *
 * @param {Source} source
 */
function isUnchanged([path, size, changed_s]) {
  const file = statSync(root + path, { throwIfNoEntry: false })
  return file?.size === size && Math.floor(file.mtimeMs / 1000) === changed_s
}

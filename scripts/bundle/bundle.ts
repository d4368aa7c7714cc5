import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'

import { build, type Plugin } from 'esbuild'

const root = resolve(import.meta.dirname, '../..')

/**
 * Packages of many modules that most commands load. The others stay in `node_modules`: some load native code or files
 * of their own, and some belong to few commands.
 */
const bundled = new Set([
  '@commander-js/extra-typings',
  '@duckdb/node-api',
  '@noble/hashes',
  '@solana/addresses',
  '@solana/codecs-strings',
  'htmlparser2',
  'hyparquet-writer',
  'kysely',
  'lru-cache',
  'ws',
  'zod',
])

/**
 * Bundles the command line into `dist`, which `bin/bundle.js` loads: `npm ci` runs it. A command imports a thousand
 * modules, and finding each takes Node longer than running it. The sources of the bundle are listed with their changes.
 */
async function bundle(): Promise<void> {
  // A failed build leaves the former bundle as it is.
  const part = join(root, `dist.${process.pid}.part`)
  try {
    const { metafile } = await build({
      absWorkingDir: root,
      entryPoints: ['bin/main.ts'],
      outdir: part,
      outExtension: { '.js': '.mjs' },
      entryNames: '[name]',
      chunkNames: '[name]-[hash]',
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // Packages of CommonJS within the bundle require those that stay outside.
      banner: {
        js: `import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);`,
      },
      plugins: [outside, placed],
      external: ['@duckdb/node-bindings'],
      metafile: true,
    })
    const own = Object.keys(metafile.inputs).filter((path) => !isPackage(path))
    const sources = await Promise.all(['package-lock.json', ...own.toSorted()].map(changeOf))
    await writeFile(join(part, 'sources.json'), JSON.stringify(sources))
    await rm(join(root, 'dist'), { recursive: true, force: true })
    await rename(part, join(root, 'dist'))
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}

/** The path of a source, its size, and the second of its last change. */
async function changeOf(path: string): Promise<[path: string, size: number, changed_s: number]> {
  const { size, mtimeMs } = await stat(join(root, path))
  return [path, size, Math.floor(mtimeMs / 1000)]
}

/** The packages that are not bundled, as they are imported by our sources. */
const outside: Plugin = {
  name: 'outside',
  setup: (building) => {
    building.onResolve({ filter: /^[^.#/]/ }, ({ path, importer, kind }) => {
      if (kind === 'entry-point' || isPackage(importer)) return undefined
      const name = path.split('/', path.startsWith('@') ? 2 : 1).join('/')
      return bundled.has(name) ? undefined : { path, external: true }
    })
  },
}

/** A source in the bundle keeps its own place, where it reads the files beside it. */
const placed: Plugin = {
  name: 'placed',
  setup: (building) => {
    building.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      if (isPackage(path) || !text.includes('import.meta')) return undefined
      const source = relative(root, path)
      const url = `new URL('../${source}', import.meta.url).href`
      const place = `const $place = { url: ${url}, dirname: import.meta.dirname + '/../${dirname(source)}' };\n`
      return { loader: 'ts', contents: place + text.replaceAll(/\bimport\.meta\b/g, '$place') }
    })
  },
}

const isPackage = (path: string): boolean => /(^|\/)node_modules\//.test(path)

await bundle()

import { statSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
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

const dist = join(root, 'dist')

/** Files that the bundle depends on, beside the sources in it. */
const others = ['package.json', 'package-lock.json', 'scripts/bundle/bundle.ts']

/**
 * Bundles the command line into `dist`, which `bin/bundle.js` loads: `npm ci` runs it. A command imports a thousand
 * modules, and Node takes longer to find them than to run the command. `sources.json` has the size and the time of each
 * source.
 */
async function bundle(): Promise<void> {
  const begun_ms = Date.now()
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
      // The options of `tsconfig.json`, which is not in the container that builds the image.
      tsconfigRaw: { compilerOptions: { target: 'es2023', verbatimModuleSyntax: true } },
      // Packages of CommonJS within the bundle require those that stay outside.
      banner: {
        js: `import { createRequire as $require } from 'node:module'; const require = $require(import.meta.url);`,
      },
      plugins: [outside, placed],
      external: ['@duckdb/node-bindings'],
      metafile: true,
    })
    const inputs = Object.keys(metafile.inputs).filter((path) => !isPackage(join(root, path)))
    const paths = [...new Set([...others, ...inputs])].toSorted()
    const sources = await Promise.all(paths.map((path) => sourceOf(path, begun_ms)))
    await writeFile(join(part, 'sources.json'), JSON.stringify(sources))
    await replaceBy(part)
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}

/**
 * The path of a source, its size, and the second of its last change: 0 for a change after the build began, which no
 * source has, so that this bundle is not loaded.
 */
async function sourceOf(path: string, begun_ms: number): Promise<[path: string, size: number, changed_s: number]> {
  const { size, mtimeMs } = await stat(join(root, path))
  return [path, size, mtimeMs < begun_ms ? Math.floor(mtimeMs / 1000) : 0]
}

/** Processes of the former bundle still load parts of it, which stay for a week after they were built. */
const kept_ms = 7 * 24 * 60 * 60 * 1000

/** Moves the files of a new bundle into `dist`: those that others refer to first. */
async function replaceBy(part: string): Promise<void> {
  await mkdir(dist, { recursive: true })
  const last = ['main.mjs', 'sources.json']
  const names = (await readdir(part)).filter((name) => !last.includes(name))
  for (const name of [...names, ...last]) await rename(join(part, name), join(dist, name))
  for (const name of await readdir(dist)) {
    const file = join(dist, name)
    // Another build may have removed it.
    const found = statSync(file, { throwIfNoEntry: false })
    if (found !== undefined && found.mtimeMs < Date.now() - kept_ms) await rm(file, { force: true })
  }
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

/** A package lies in a `node_modules` of the project, or outside of it. The project may itself lie in one. */
const isPackage = (path: string): boolean => /^\.\.|(^|\/)node_modules\//.test(relative(root, path))

await bundle()

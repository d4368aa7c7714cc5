import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'

import { build } from 'esbuild'

/** The pages and their titles. Each is a file of its name, and all load the same script. */
const pages: Record<string, string> = {
  index: 'Market and wallet intelligence',
  feed: 'Feed',
  assets: 'Assets',
  asset: 'Asset',
  coverage: 'Coverage',
  markets: 'Markets',
  traders: 'Traders',
  wallets: 'Wallets',
  market: 'Market',
  trader: 'Trader',
  wallet: 'Wallet',
  docs: 'API documentation',
  'sign-up': 'Create an account',
  'sign-in': 'Sign in',
  'forgot-password': 'Forgotten password',
  'reset-password': 'Set a new password',
  settings: 'Account settings',
  watchlists: 'Watchlists',
}

const web = resolve(import.meta.dirname, '..', 'web')

/**
 * `npm run web`: builds the pages into `web/dist`, which the API serves. `npm ci` runs it too. Names of assets contain
 * the hash of their content, so that a browser may keep them.
 */
async function buildPages(): Promise<void> {
  // A failed build leaves the former pages as they are.
  const part = join(web, `dist.${process.pid}.part`)
  try {
    const assets = await bundle(join(part, 'assets'))
    const template = await readFile(join(web, 'page.html'), 'utf8')
    for (const [name, title] of Object.entries(pages))
      await writeFile(join(part, `${name}.html`), fill(template, { title, ...assets }))
    await rm(join(web, 'dist'), { recursive: true, force: true })
    await rename(part, join(web, 'dist'))
  } finally {
    await rm(part, { recursive: true, force: true })
  }
}

/** Bundles the script and the style sheet into a folder, and returns their names. */
async function bundle(outdir: string): Promise<{ script: string; style: string }> {
  const { metafile } = await build({
    absWorkingDir: web,
    entryPoints: { app: 'main.tsx', style: 'style/index.css' },
    outdir,
    entryNames: '[name]-[hash]',
    bundle: true,
    // uPlot is a part of its own, which pages without a chart do not load.
    splitting: true,
    chunkNames: '[name]-[hash]',
    format: 'esm',
    target: ['chrome111', 'firefox115', 'safari16.4'],
    minify: true,
    metafile: true,
    // The options of `web/tsconfig.json`, whose base is not in the container that builds the image.
    tsconfigRaw: { compilerOptions: { jsx: 'react-jsx', jsxImportSource: 'preact' } },
  })
  const names = Object.keys(metafile.outputs).map((path) => basename(path))
  const named = (entry: RegExp) => names.find((name) => entry.test(name)) ?? ''
  return { script: named(/^app-.*\.js$/), style: named(/^style-.*\.css$/) }
}

const fill = (template: string, values: Record<string, string>): string =>
  template.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '')

await buildPages()

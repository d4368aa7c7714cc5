import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

/** The version that the tests run, of the package `@sparticuz/chromium`. */
export const version = '153.0.0'

/** The folder into which `npx tsx scripts/chromium.ts` installs it: the browser and the libraries that it needs. */
export const folder = join(import.meta.dirname, '..', '..', 'node_modules', '.chromium', version)

/** A browser, and the environment that it needs. */
export type Browser = { executablePath: string; env: Record<string, string> }

/** The installed Chromium, or else that of PATH; undefined if there is none. */
export async function findChromium(path = process.env['PATH'] ?? ''): Promise<Browser | undefined> {
  const own = join(folder, 'chromium')
  if (await isThere(own)) return { executablePath: own, env: { LD_LIBRARY_PATH: join(folder, 'lib') } }
  for (const of of path.split(delimiter)) {
    for (const name of ['chromium', 'chromium-browser', 'google-chrome', 'chromium-headless-shell']) {
      if (await isThere(join(of, name))) return { executablePath: join(of, name), env: {} }
    }
  }
  return undefined
}

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

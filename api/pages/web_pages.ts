import { readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'

import type { Request, Response } from 'express'
import type { Logger } from 'pino'

export type Handler = (req: Request, res: Response) => void | Promise<void>

/** Our pages load nothing from elsewhere and have no inline parts. Only the page of the API description has these. */
const policy = [
  "default-src 'none'",
  ...['script-src', 'style-src', 'img-src', 'connect-src', 'form-action'].map((name) => `${name} 'self'`),
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

const ofPages = {
  'Content-Security-Policy': policy,
  'Cross-Origin-Resource-Policy': 'same-origin',
  // A page that was left is not kept: it may show a key.
  'Cache-Control': 'no-store',
}
/** Swagger UI, which renders the API description, has inline styles: the headers of all responses allow these. */
const ofDocs = { 'Cache-Control': 'no-cache' }
const ofAssets = {
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'public, max-age=31536000, immutable',
}

/**
 * The routes of the pages for people, from the folder that `scripts/web.ts` has built: `/` is `index.html`, `/sign-in`
 * is `sign-in.html`, and so on. The names of assets contain the hash of their content. The files are read once, since a newer build
 * belongs to newer code. Without a build there are no pages, and the API works.
 */
export function webPages(dist: string, log: Logger): Record<string, Handler> {
  const pages = namesIn(dist).filter((name) => name.endsWith('.html'))
  if (pages.length === 0) log.warn(`${dist}: no pages; expected the output of "npm run web"`)
  const assets = namesIn(join(dist, 'assets'))
  return Object.fromEntries([
    ...pages.map(
      (name) =>
        [
          `/${name.slice(0, -'.html'.length)}`.replace(/^\/index$/, '/'),
          send(join(dist, name), name === 'docs.html' ? ofDocs : ofPages),
        ] as const,
    ),
    ...assets.map((name) => [`/assets/${name}`, send(join(dist, 'assets', name), ofAssets)] as const),
  ])
}

const namesIn = (folder: string): string[] => {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const send = (path: string, headers: Record<string, string>): Handler => {
  const body = readFileSync(path)
  const type = extname(path)
  return (_req, res) => {
    res.set(headers).type(type).send(body)
  }
}

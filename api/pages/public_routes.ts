import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import type { Response } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import type { Endpoint } from '#api/contract/endpoint.ts'
import { ApiError, notReady } from '#api/contract/errors.ts'
import { openApi } from '#api/contract/openapi.ts'
import { whyNotReady, type PublicSources } from '#api/http/answer_public.ts'
import { isFromInside, type ClientAddress } from '#api/http/client_address.ts'
import type { Snapshot } from '#snapshots/marts.ts'
import { publicationNames } from '#snapshots/publications.ts'
import type { Clock, Micros } from '#time.ts'

import { llmsText } from './llms_text.ts'
import { referencePages } from './reference_pages.ts'
import { webPages, type Handler } from './web_pages.ts'

// Importing the package to find its folder would load the whole page into this process.
const require = createRequire(import.meta.url)
const swaggerUi = dirname(require.resolve('swagger-ui-dist/package.json'))
const docs = join(import.meta.dirname, 'docs')

type Parts = {
  endpoints: readonly Endpoint[]
  sources: PublicSources
  registry: Registry
  /** The metrics of other processes of the home. */
  otherMetrics: () => Promise<string>
  now: Clock
  machineFault: () => Promise<string | null>
  clientAddress: ClientAddress
  log: Logger
}

/** The routes outside `/v1`, which need no key. */
export const publicRoutes = (parts: Parts): Record<string, Handler> => ({
  // Without a build of the pages, the API description is the first page.
  '/': page(new URL('docs/index.html', import.meta.url)),
  '/docs': page(new URL('docs/index.html', import.meta.url)),
  ...webPages(join(import.meta.dirname, '../../web/dist'), parts.log),
  '/docs/init.js': file(docs, 'init.js'),
  '/docs/swagger-ui.css': file(swaggerUi, 'swagger-ui.css'),
  '/docs/swagger-ui-bundle.js': file(swaggerUi, 'swagger-ui-bundle.js'),
  '/docs/favicon.png': file(swaggerUi, 'favicon-32x32.png'),
  '/docs/api.md': text('text/markdown', readFileSync(new URL('../../docs/api.md', import.meta.url), 'utf8')),
  ...referencePages(join(import.meta.dirname, '../../docs')),
  '/llms.txt': text('text/plain', llmsText(parts.endpoints)),
  '/openapi.json': text('application/json', JSON.stringify(openApi(parts.endpoints, parts.sources.publicUrl))),
  '/healthz': (_req, res) => {
    res.json({ status: 'ok' })
  },
  '/readyz': (_req, res) => readiness(res, parts),
  '/metrics': metrics(parts),
})

/** The service is ready when every publication has a snapshot. A fault leaves it ready with older figures. */
const readiness = async (
  res: Response,
  { sources: { marts }, now, machineFault }: Pick<Parts, 'sources' | 'now' | 'machineFault'>,
) => {
  const snapshots = publicationNames().map((name) => [name, marts.current(name)] as const)
  if (snapshots.some(([, snapshot]) => !snapshot)) throw notReady(whyNotReady(marts, publicationNames()))
  const described = snapshots.map(([name, snapshot]) => [name, snapshot && describe(snapshot, now())])
  res.json({ status: 'ready', ...Object.fromEntries(described), fault: marts.fault() ?? (await machineFault()) })
}

const describe = ({ id, asOf, publishedAt }: Snapshot, now: Micros) => ({
  snapshot: id,
  data_as_of: new Date(asOf / 1000).toISOString(),
  published_at: new Date(publishedAt / 1000).toISOString(),
  age_s: Math.max(0, Math.round((now - publishedAt) / 1_000_000)),
})

/**
 * The metrics, for clients on private networks. Collecting them takes a millisecond of the thread, so that a second's
 * scrapes share one text.
 */
const metrics = (parts: Pick<Parts, 'registry' | 'otherMetrics' | 'now' | 'clientAddress'>): Handler => {
  const { registry, otherMetrics, now, clientAddress } = parts
  const read = async (): Promise<string> => `${await registry.metrics()}${await otherMetrics()}`
  let last: { at: Micros; text: Promise<string> } | undefined
  return async (req, res) => {
    if (!isFromInside(req, clientAddress))
      throw new ApiError('forbidden', 'metrics: not for this network; expected a client on a private network.')
    if (last === undefined || now() - last.at >= 1_000_000) last = { at: now(), text: read() }
    res.type(registry.contentType).send(await last.text)
  }
}

/** A text that is made once, for any web page. Its tag lets a client keep it: Express answers with a 304. */
const text = (type: string, body: string): Handler => {
  const bytes = Buffer.from(body)
  const etag = `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 27)}"`
  return (_req, res) => {
    res.set({ ETag: etag, 'Access-Control-Allow-Origin': '*' }).type(type).send(bytes)
  }
}

const page = (path: URL): Handler => {
  const html = readFileSync(path, 'utf8')
  return (_req, res) => {
    res.type('html').send(html)
  }
}

const file =
  (root: string, name: string): Handler =>
  (_req, res) => {
    res.sendFile(name, { root })
  }

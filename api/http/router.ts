import type { IncomingMessage, RequestListener } from 'node:http'

import express, { type ErrorRequestHandler, type Express, type Request } from 'express'
import type { Logger } from 'pino'
import type { Registry } from 'prom-client'

import { mayUse } from '#accounts/tiers.ts'
import type { Endpoint } from '#api/contract/endpoint.ts'
import { ApiError, sendError } from '#api/contract/errors.ts'
import { endpoints } from '#api/endpoints/index.ts'
import { outsideRoutes } from '#api/pages/public_routes.ts'
import { publishes } from '#marts/publications.ts'
import { MartsBusyError } from '#marts/query_pool.ts'
import type { Clock } from '#time.ts'

import { unauthorized } from './authenticate.ts'
import { exchangeOf, type Exchange } from './request_context.ts'
import { answer, notReady, type Answer, type Sources } from './respond.ts'
import { sendAnswer } from './send.ts'

const most_bytes = 64 * 1024

/** What is answered where no kept answer fits: the endpoints, the pages beside them, and every error. */
export function createRouter(of: {
  sources: Sources
  now: Clock
  registry: Registry
  log: Logger
  /** Takes an answer for the next who asks the same. */
  keep: (req: IncomingMessage, exchange: Exchange, answer: Answer) => void
}): RequestListener {
  const app = express()
  app.disable('x-powered-by')
  app.disable('etag')
  app.disable('query parser')
  app.enable('strict routing')
  app.enable('case sensitive routing')

  for (const path of new Set(endpoints.map((endpoint) => endpoint.path))) serve(app, path, of)
  for (const [path, handler] of Object.entries(outsideRoutes(of))) {
    app.all(path, async (req, res) => {
      exchangeOf(req).route = path
      if (req.method !== 'GET' && req.method !== 'HEAD') throw notAllowed(['GET', 'HEAD', 'OPTIONS'])
      await handler(req, res)
    })
  }
  app.use(() => {
    throw new ApiError('not_found', 'There is nothing at this path; /openapi.json lists what there is.')
  })
  app.use(errorHandler(of.log))
  return app
}

/** The methods that a path answers to. */
export const methodsOf = (path: string): string[] => {
  const methods = endpoints.filter((endpoint) => `/v1${endpoint.path}` === path).map((endpoint) => endpoint.method)
  return [...new Set(methods.length > 0 ? methods : ['GET' as const]), 'HEAD', 'OPTIONS']
}

const serve = (app: Express, path: Endpoint['path'], of: Parameters<typeof createRouter>[0]) => {
  const flights = new Map<string, Promise<Answer>>()

  /** Of several who ask the same at once, one asks the marts. */
  const fly = (endpoint: Endpoint, req: Request): Promise<Answer> => {
    const asked = { accept: req.headers.accept, search: searchOf(req) }
    const newest = publishes.map((publish) => of.sources.marts.current(publish)?.id)
    const key = JSON.stringify([newest, endpoint.name, asked])
    const flight = flights.get(key) ?? answer(endpoint, asked, of.sources).finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }

  app.all(`/v1${path}`, async (req, res) => {
    const exchange = exchangeOf(req)
    exchange.route = path
    const method = req.method === 'HEAD' ? 'GET' : req.method
    const endpoint = endpoints.find((one) => one.path === path && one.method === method)
    if (!endpoint) throw notAllowed(methodsOf(`/v1${path}`))
    if (!exchange.caller) throw unauthorized('The key is missing')
    if (!mayUse(exchange.caller.tier, endpoint.name)) {
      throw new ApiError('forbidden', `${endpoint.name} is not part of the plan "${exchange.caller.tier}".`)
    }
    if (Number(req.headers['content-length'] ?? 0) > most_bytes) {
      throw new ApiError('payload_too_large', 'A body may hold 64 KiB.', { Connection: 'close' })
    }
    const answered = await fly(endpoint, req)
    of.keep(req, exchange, answered)
    sendAnswer(req, res, answered, [])
  })
}

const notAllowed = (methods: string[]) =>
  new ApiError('method_not_allowed', `This path answers to ${methods.join(', ')}.`, { Allow: methods.join(', ') })

const searchOf = ({ url }: Request): string => (url.includes('?') ? url.slice(url.indexOf('?') + 1) : '')

const errorHandler =
  (log: Logger): ErrorRequestHandler =>
  (error, req, res, _next) => {
    const { id } = exchangeOf(req)
    const known = knownError(error)
    if (!known) log.error(error, `request ${id}`)
    if (res.headersSent) res.destroy()
    else sendError(res, known ?? internalError(id))
  }

const knownError = (error: unknown): ApiError | null => {
  if (error instanceof ApiError) return error
  if (error instanceof MartsBusyError) return notReady(error.message)
  if (error instanceof URIError) return new ApiError('invalid_request', 'The path is not a valid URI.')
  return null
}

export const internalError = (request_id: string) =>
  new ApiError('internal_error', `Something went wrong here. It is logged as request ${request_id}; try again later.`)

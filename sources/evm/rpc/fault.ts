import { HttpError } from '#ingest/http/http.ts'
import { ShapeError } from '#ingest/http/response.ts'

import { faultTexts, type FaultKind } from './fault_texts.ts'

/** A failed call of one endpoint. */
export class RpcFault extends Error {
  readonly kind: FaultKind
  /** The blocks of a range that the endpoint accepts, if its error names them. */
  readonly limit: number | undefined
  /** The pause that the endpoint requested. */
  readonly pause_ms: number | undefined

  constructor(kind: FaultKind, message: string, { limit, pause_ms }: { limit?: number; pause_ms?: number } = {}) {
    super(message)
    this.name = 'RpcFault'
    this.kind = kind
    this.limit = limit
    this.pause_ms = pause_ms
  }
}

/** An error inside a JSON-RPC response. Providers hide the reason in any of the fields. */
export type RpcErrorBody = { code?: number | undefined; message?: string | undefined; data?: unknown }

/** The fault of an error object. */
export function faultOf(method: string, error: RpcErrorBody): RpcFault {
  const text = JSON.stringify(error)
  const described = `${method}: ${(error.message ?? text).slice(0, 300)}`
  const { kind, ...more } = byText(text) ?? { kind: byCode[error.code ?? 0] ?? 'other' }
  return new RpcFault(kind, described, more)
}

/** The fault of a request that failed below JSON-RPC. Errors of other kinds are thrown again. */
export function faultOfRequest(error: unknown): RpcFault {
  if (error instanceof RpcFault) return error
  if (error instanceof ShapeError) return new RpcFault('down', error.message)
  if (!(error instanceof HttpError)) throw error
  const pause = error.pause_ms === undefined ? {} : { pause_ms: error.pause_ms }
  const match = byText(error.body)
  if (match !== undefined) return new RpcFault(match.kind, error.message, { ...match, ...pause })
  if (error.limit === 'bytes') return new RpcFault('range', error.message)
  if (error.limit === 'time') return new RpcFault('timeout', error.message)
  return new RpcFault(byStatus[error.status] ?? 'down', error.message, pause)
}

/** Codes of JSON-RPC, of EIP-1474 and of providers, for errors whose text says nothing. */
const byCode: Readonly<Record<number, FaultKind>> = {
  3: 'contract',
  [-32_015]: 'contract',
  [-32_601]: 'method',
  [-32_004]: 'method',
  [-32_005]: 'rate limit',
  [-32_029]: 'rate limit',
  [-32_002]: 'down',
  [-32_603]: 'down',
  429: 'rate limit',
}

const byStatus: Readonly<Record<number, FaultKind>> = {
  400: 'other',
  401: 'unauthorised',
  402: 'quota',
  403: 'unauthorised',
  405: 'method',
  413: 'batch',
  415: 'method',
  429: 'rate limit',
}

/** The first pattern that fits. Ranges come first, since their texts also speak of limits. */
function byText(text: string): { kind: FaultKind; limit?: number } | undefined {
  for (const { kind, pattern, limit } of faultTexts) {
    const match = pattern.exec(text)
    if (match === null) continue
    const blocks = limit?.(...match.slice(1))
    return blocks !== undefined && blocks >= 1 ? { kind, limit: Math.floor(blocks) } : { kind }
  }
  return undefined
}

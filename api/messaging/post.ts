import { lookup, type LookupAddress } from 'node:dns'
import { request as requestHttp, type RequestOptions } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

import { MessengerError, type Failure } from './messenger.ts'
import { isPublicAddress } from './public_address.ts'

/** The answer to a call. `pause_s` is that of `Retry-After`; null without one. */
export type Posted = { status: number; text: string; pause_s: number | null }

/** Posts JSON to a URL. Throws a {@link MessengerError} where no answer arrives. */
export type Post = (url: string, body: string, headers?: Record<string, string>) => Promise<Posted>

/** A message that is not answered by then is sent again later. */
const usualLimit_ms = 10_000
/** The most bytes of an answer that are read. */
const mostBytes = 16_384

/** Answers with the addresses of a name. */
type Resolve = (name: string, answer: (error: Error | null, addresses: LookupAddress[]) => void) => void

const resolveName: Resolve = (name, answer) =>
  lookup(name, { all: true }, (error, addresses) => answer(error, addresses ?? []))

type PostOptions = { ending: AbortSignal; isPrivateAllowed: boolean; limit_ms?: number; resolve?: Resolve }

/**
 * Opens the calls of a messenger, whose errors begin with its name. They end with `ending`, follow no redirect, and
 * reach public addresses over HTTPS only. The address that is checked is the one that is connected to, so a name that
 * changes its address meanwhile reaches no other. `isPrivateAllowed` lifts both limits.
 */
export function openPost(name: string, options: PostOptions): Post {
  const { ending, isPrivateAllowed, limit_ms = usualLimit_ms, resolve = resolveName } = options
  const fault = (reason: string, kind: Failure) => new MessengerError(`${name}: ${reason}`, { kind, pause_s: null })
  const privateAddress = () => fault('its address is private; expected a public address', 'refused')

  /** Resolves a name to public addresses only. */
  const lookUp: LookupFunction = (host, { all }, answer) =>
    resolve(host, (error, addresses) => {
      const usable = addresses.filter(({ address }) => isPrivateAllowed || isPublicAddress(address))
      const [first] = usable
      if (error || first === undefined) return answer(error ?? privateAddress(), '', 4)
      if (all === true) answer(null, usable)
      else answer(null, first.address, first.family)
    })

  return async (url, body, headers = {}) => {
    const { protocol, hostname } = new URL(url)
    const host = hostname.replaceAll(/^\[|\]$/g, '')
    if (!isPrivateAllowed && protocol !== 'https:') throw fault('its address is not secure; expected https', 'refused')
    // A name that is an address is not resolved.
    if (!isPrivateAllowed && isIP(host) !== 0 && !isPublicAddress(host)) throw privateAddress()
    const length = String(Buffer.byteLength(body))
    const call = {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Length': length, 'User-Agent': 'Tapeline', ...headers },
      lookup: lookUp,
      agent: false,
    }
    const until = AbortSignal.any([ending, AbortSignal.timeout(limit_ms)])
    return exchange(url, body, { ...call, signal: until }).catch((error: unknown) => {
      if (error instanceof MessengerError) throw error
      throw fault(until.aborted ? `no answer within ${limit_ms / 1_000} s` : reasonOf(error), 'passing')
    })
  }
}

/** The code alone: a message may hold the URL, which is a secret of its owner. */
const reasonOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? `no answer, ${String(error.code)}` : 'no answer'

const exchange = (url: string, body: string, options: RequestOptions): Promise<Posted> =>
  new Promise((resolve, reject) => {
    const start = url.startsWith('https:') ? requestHttps : requestHttp
    const call = start(url, options, (response) => {
      const chunks: Buffer[] = []
      let size = 0
      const end = (): void => {
        const pause = Number(response.headers['retry-after'])
        resolve({
          status: response.statusCode ?? 0,
          text: Buffer.concat(chunks).toString('utf8'),
          pause_s: Number.isFinite(pause) ? pause : null,
        })
      }
      response.on('data', (chunk: Buffer) => {
        size += chunk.length
        chunks.push(chunk)
        // The status is known, and the rest is not read.
        if (size > mostBytes) {
          end()
          call.destroy()
        }
      })
      response.once('end', end)
      response.once('error', reject)
    })
    call.once('error', reject)
    call.end(body)
  })

/**
 * Throws for an answer that is no success. `gone` are the statuses of a chat that does not exist any more. Of the
 * others, those of the call itself are final if `isFinal`.
 */
export function assertTaken(
  name: string,
  { status, pause_s }: Posted,
  { gone, isFinal = true }: { gone: readonly number[]; isFinal?: boolean },
): void {
  if (status >= 200 && status < 300) return
  const passes = !isFinal || [408, 425, 429].includes(status) || status >= 500
  const kind = gone.includes(status) ? 'blocked' : passes ? 'passing' : 'refused'
  throw new MessengerError(`${name}: it answered ${status}; expected 200`, { kind, pause_s })
}

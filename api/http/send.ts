import type { IncomingMessage, ServerResponse } from 'node:http'

import { fill } from './headers.ts'
import type { RequestContext } from './request_context.ts'
import type { PublicAnswer } from './respond.ts'
import type { PrivateAnswer } from './respond_private.ts'

/**
 * Sends a public answer, or a 304 if `If-None-Match` names it. It sends cached and new answers, so both have the same
 * headers in the same order.
 */
export const sendPublic = (
  req: IncomingMessage,
  res: ServerResponse,
  answer: PublicAnswer,
  context: RequestContext,
): void => {
  const isKnown = matches(req.headers['if-none-match'], answer.etag)
  res.writeHead(isKnown ? 304 : 200, fill(isKnown ? answer.notModifiedHeaders : answer.headers, context))
  // Node sends no body in response to HEAD.
  res.end(isKnown ? undefined : answer.body)
}

/** Sends an answer for one account. No cache may store it, not even that of the caller. */
export const sendPrivate = (res: ServerResponse, { status, headers, body }: PrivateAnswer): void => {
  for (const [name, value] of headers) res.setHeader(name, value)
  res.writeHead(status, { 'Content-Length': body.byteLength, 'Cache-Control': 'no-store' })
  res.end(body)
}

/** Whether `If-None-Match` names the tag. The comparison is weak: `W/"x"` matches `"x"`. */
const matches = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  return ifNoneMatch.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

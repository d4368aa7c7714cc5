import type { IncomingMessage, ServerResponse } from 'node:http'

import type { PublicAnswer } from './respond.ts'
import type { PrivateAnswer } from './respond_private.ts'

/** Sends a public answer, or a 304 if `If-None-Match` names it. */
export const sendPublic = (
  req: IncomingMessage,
  res: ServerResponse,
  answer: PublicAnswer,
  baseHeaders: string[],
): void => {
  const isKnown = matches(req.headers['if-none-match'], answer.etag)
  const headers = [...baseHeaders]
  for (const [name, value] of answer.headers) {
    if (!isKnown || !name.startsWith('Content-')) headers.push(name, value)
  }
  res.writeHead(isKnown ? 304 : 200, headers)
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
  return ifNoneMatch.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

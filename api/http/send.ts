import type { IncomingMessage, ServerResponse } from 'node:http'

import type { Answer } from './respond.ts'

/** Sends an answer: 304 where the caller has it already. */
export const sendAnswer = (req: IncomingMessage, res: ServerResponse, answer: Answer, lead: string[]): void => {
  const isKnown = matches(req.headers['if-none-match'], answer.etag)
  const headers = [...lead]
  for (const [name, value] of answer.headers) {
    if (!isKnown || !name.startsWith('Content-')) headers.push(name, value)
  }
  res.writeHead(isKnown ? 304 : 200, headers)
  // Of HEAD node sends the headers alone.
  res.end(isKnown ? undefined : answer.body)
}

/** Whether `If-None-Match` names the tag; the comparison is weak, so `W/"x"` names `"x"`. */
const matches = (ifNoneMatch: string | undefined, etag: string): boolean => {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((part) => {
    const tag = part.trim()
    return tag === '*' || tag === etag || tag === `W/${etag}`
  })
}

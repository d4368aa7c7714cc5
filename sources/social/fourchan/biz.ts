import type { Host } from '#ingest/http/host.ts'
import { fourchan } from '#registry/platforms/fourchan.ts'

/** The boards of 4chan, without an account. Answers that are shown must name 4chan and link to it. */
export const fourchanHost: Host = {
  name: 'fourchan',
  doc: 'The URL of the boards of 4chan',
  url: 'https://a.4cdn.org',
  // Published: one request a second.
  requestsPer10s: 9,
  concurrency: 1,
}

export const PLATFORM = fourchan.id
export const BOARD = 'biz'

/** The id of a post: its number is unique on its board. */
export const postIdOf = (no: number): string => `${BOARD}/${no}`

/** The page of a post. */
export const pageOf = (thread: number, no: number): string =>
  `https://boards.4chan.org/${BOARD}/thread/${thread}${no === thread ? '' : `#p${no}`}`

import { z } from 'zod'

/** Reading the simulated hosts in tests, as a careful client would. */

const envelope = z.object({
  data: z.array(z.record(z.string(), z.unknown())),
  pagination: z.object({
    limit: z.number(),
    offset: z.literal(0),
    has_more: z.boolean(),
    next_cursor: z.string().nullable(),
  }),
})
export type WireRow = Record<string, unknown>

export async function ask(url: string): Promise<{ status: number; headers: Headers; body: unknown }> {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

/** Every row of a feed of the Data API, version 2, from a cursor on, and how many pages it took. */
export async function walkFeed(url: string, from: string | null = null): Promise<{ rows: WireRow[]; nPages: number }> {
  const rows: WireRow[] = []
  let cursor = from
  for (let nPages = 1; ; nPages++) {
    const next: string = cursor === null ? url : `${url}&cursor=${cursor}`
    const { data, pagination } = envelope.parse((await ask(next)).body)
    rows.push(...data)
    cursor = pagination.next_cursor
    if (pagination.has_more !== (cursor !== null)) throw new Error('has_more and next_cursor disagree')
    if (cursor === null) return { rows, nPages }
  }
}

/** Every row of a keyset list of gamma. */
export async function walkKeyset(
  url: string,
  name: 'markets' | 'events',
): Promise<{ rows: WireRow[]; nPages: number }> {
  const page = z.object({ [name]: z.array(z.record(z.string(), z.unknown())), next_cursor: z.string().optional() })
  const rows: WireRow[] = []
  let cursor: string | undefined
  for (let nPages = 1; ; nPages++) {
    const body = page.parse((await ask(cursor === undefined ? url : `${url}&after_cursor=${cursor}`)).body)
    rows.push(...(body[name] as WireRow[]))
    cursor = body.next_cursor as string | undefined
    if (cursor === undefined) return { rows, nPages }
  }
}

/** Every row of a route of version 1. */
export async function walkOffsets(url: string, limit: number): Promise<WireRow[]> {
  const rows: WireRow[] = []
  for (;;) {
    const page = z
      .array(z.record(z.string(), z.unknown()))
      .parse((await ask(`${url}&limit=${limit}&offset=${rows.length}`)).body)
    rows.push(...page)
    if (page.length < limit) return rows
  }
}

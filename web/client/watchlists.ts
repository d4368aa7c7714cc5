import * as z from 'zod/mini'

import { isSignedOut, request, requestSignedIn, type Ask } from './request.ts'

export const watchlistTypes = ['wallets', 'assets', 'markets'] as const

const watchlist = z.object({
  id: z.string(),
  name: z.string(),
  type: z.enum(watchlistTypes),
  items: z.array(z.string()),
  created_at: z.string(),
})

export type Watchlist = z.output<typeof watchlist>
export type NewWatchlist = Pick<Watchlist, 'name' | 'type' | 'items'>

export const listWatchlists = (): Promise<Watchlist[]> => ask('v1/watchlists', z.array(watchlist))

export const createWatchlist = (body: NewWatchlist): Promise<Watchlist> =>
  ask('v1/watchlists', watchlist, { method: 'POST', body })

export const deleteWatchlist = (id: string) =>
  ask(`v1/watchlists?id=${encodeURIComponent(id)}`, z.object({ deleted: z.literal(true) }), { method: 'DELETE' })

let token: string | null = null

/** Sends a request to the API with the token of this page. An expired token is replaced once. */
async function ask<T>(path: string, shape: z.ZodMiniType<T>, options: Ask = {}): Promise<T> {
  const before = token
  token ??= await newToken()
  try {
    return await request(path, shape, { ...options, token })
  } catch (error) {
    if (before === null || !isSignedOut(error)) throw error
    token = await newToken()
    return request(path, shape, { ...options, token })
  }
}

const newToken = async (): Promise<string> =>
  (await requestSignedIn('api/token', z.object({ token: z.string() }), { method: 'POST' })).token

import { z } from 'zod'

/** The most requests of a client in a window: of all methods, and of one. */
export type RateLimits = { window_s: number; most: number; mostOfMethod: number }

/** The limits of the public endpoint of Solana. */
export const publicLimits: RateLimits = { window_s: 10, most: 100, mostOfMethod: 40 }

/** A refusal, as a node sends it with the status 429. `retryAfter_s` are whole seconds to the end of the window. */
type Refusal = { retryAfter_s: number; text: string }

const callShape = z.looseObject({ method: z.string() })
const bodyShape = z.union([callShape.transform((call) => [call]), z.array(callShape)])

/** Counts the calls of one client in fixed windows. Each call of a batch counts; a refused request does not. */
export function openRateLimits({
  window_s,
  most,
  mostOfMethod,
}: RateLimits): (body: unknown, now_s: number) => Refusal | null {
  let [window, n] = [-1, 0]
  const ofMethod = new Map<string, number>()
  return (body, now_s) => {
    const current = Math.floor(now_s / window_s)
    if (current !== window) {
      ;[window, n] = [current, 0]
      ofMethod.clear()
    }
    const methods = (bodyShape.safeParse(body).data ?? []).map(({ method }) => method)
    const after = new Map(ofMethod)
    for (const method of methods) after.set(method, (after.get(method) ?? 0) + 1)
    const isMethod = [...after.values()].some((count) => count > mostOfMethod)
    // A batch that no window has room for is not refused for ever.
    if (n > 0 && (isMethod || n + methods.length > most)) {
      const message = `Too many requests ${isMethod ? 'for a specific RPC call' : 'from your network address'}`
      const retryAfter_s = Math.max(1, Math.ceil((current + 1) * window_s - now_s))
      return { retryAfter_s, text: JSON.stringify({ jsonrpc: '2.0', error: { code: 429, message }, id: null }) }
    }
    n += methods.length
    for (const [method, count] of after) ofMethod.set(method, count)
    return null
  }
}

/** A refusal as a response of HTTP. */
export const refusalResponse = ({ retryAfter_s, text }: Refusal): Response =>
  new Response(text, { status: 429, headers: { 'retry-after': String(retryAfter_s) } })

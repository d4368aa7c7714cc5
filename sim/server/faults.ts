import { mix } from '#sim/random.ts'

import type { Reply } from './reply.ts'

export const faultKinds = [
  'rate_limited',
  'server_error',
  'bad_gateway',
  'unavailable',
  'truncated',
  'reset',
  'slow',
] as const
export type FaultKind = (typeof faultKinds)[number]

/** The faults of the server, determined by the seed: the same requests meet the same faults. */
export type Faults = {
  seed?: number
  /** Share of requests that fail; a repeated URL draws again. */
  requests?: number
  /** The kinds of failure; default all. */
  kinds?: readonly FaultKind[]
  /** Share of rows that do not parse, since a number is garbage or a field is missing. The same rows each time. */
  rows?: number
  /** The longest delay of a response. */
  delay_ms?: number
}

export const rowKinds = ['trades', 'activity', 'markets', 'resolutions'] as const
export type RowKind = (typeof rowKinds)[number]

/** Makes the text of a row unparsable if its number is drawn. */
export type Spoil = (kind: RowKind, row: number, text: string) => string

/** The fault of the next request of a URL. */
export type Misfortune = { kind: FaultKind | null; delay_ms: number }

export function createMisfortune(faults: Faults): (url: string) => Misfortune {
  const { seed = 1, requests = 0, kinds = faultKinds, delay_ms = 0 } = faults
  const asked = new Map<string, number>()
  return (url) => {
    const times = asked.get(url) ?? 0
    asked.set(url, times + 1)
    const draw = mix(mix(seed, hashText(url)), times)
    const kind = kinds[mix(draw, 1) % kinds.length]
    const isStruck = kind !== undefined && share(draw) < requests
    return { kind: isStruck ? kind : null, delay_ms: Math.floor(share(mix(draw, 2)) * delay_ms) }
  }
}

/** The response of a failing host. Undefined for kinds that damage the right response in transit. */
export function failure(kind: FaultKind): Reply | undefined {
  if (kind === 'rate_limited')
    return { status: 429, body: '{"error":"rate limited","code":"rate_limited","retryable":true}' }
  if (kind === 'server_error') return { status: 500, body: '{"error":"internal","code":"internal","retryable":true}' }
  if (kind === 'bad_gateway') return { status: 502, body: '<html><body><h1>502 Bad Gateway</h1></body></html>' }
  if (kind !== 'unavailable') return undefined
  return {
    status: 503,
    body: '{"error":"try again","code":"dependency_unavailable","retryable":true}',
    headers: { 'retry-after': '1' },
  }
}

/** Damages the drawn rows, and counts those that were served, each once. Each venue has damages of its own. */
export function createSpoiler(
  faults: Faults,
  damage: Damages,
): { spoil: Spoil; counts: () => Record<RowKind, number> } {
  const { seed = 1, rows = 0 } = faults
  const shown = {
    trades: new Set<number>(),
    activity: new Set<number>(),
    markets: new Set<number>(),
    resolutions: new Set<number>(),
  }
  const spoil: Spoil = (kind, row, text) => {
    // A fill is the same row in trades and activity: it is damaged in both or in neither.
    const draw = mix(mix(seed, kind === 'markets' || kind === 'resolutions' ? 7 : 3), row)
    if (share(draw) >= rows) return text
    shown[kind].add(row)
    const damages = damage[kind]
    const [pattern, replacement] = damages[mix(draw, 5) % damages.length] ?? [/^/, '']
    return text.replace(pattern, replacement)
  }
  const counts = () => ({
    trades: shown.trades.size,
    activity: shown.activity.size,
    markets: shown.markets.size,
    resolutions: shown.resolutions.size,
  })
  return { spoil, counts }
}

/** The replacement of a part of a row, after which the row does not parse. */
type Damage = readonly [pattern: RegExp, replacement: string]
export type Damages = Record<RowKind, readonly Damage[]>

const share = (hash: number): number => hash / 0x1_0000_0000

function hashText(text: string): number {
  let hash = 0
  for (let i = 0; i < text.length; i++) hash = (Math.imul(hash, 31) + text.charCodeAt(i)) | 0
  return hash
}

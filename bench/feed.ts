import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { z } from 'zod'

import { createKey } from '#accounts/keys.ts'
import { createWorld, squeezed, txHash } from '#sim/markets/world.ts'
import { listen } from '#test/api/stream/listener.ts'
import { openLive, type Live } from '#test/pipeline/live.ts'
import { machineClock, type Micros } from '#time.ts'

import { publishTraders } from './feed/traders.ts'

/**
 * The seconds from a match at a simulated venue to its signal on a stream of `/v1/feed`:
 * `npm run bench -- feed [--scale 0.3] [--squeeze 2000] [--wallets 100000] [--watch 90]`. The whole pipeline follows
 * the world at real speed, with pushed trades. The scores have that many proven traders, among them all of the world,
 * and the first purchase and the first sale of each is a signal. The match of a signal is found by its transaction.
 * Signals count whose match was made after the scores, and at least 30 seconds before the end; the time contains the
 * venue's delay, 1.3 to 2.8 seconds. The last line is `ratio seconds <p95>`.
 */
const { values } = parseArgs({
  options: {
    scale: { type: 'string', default: '0.3' },
    squeeze: { type: 'string', default: '2000' },
    wallets: { type: 'string', default: '100000' },
    watch: { type: 'string', default: '90' },
  },
})
const [seed, scale, squeeze, watch_s] = [1, Number(values.scale), Number(values.squeeze), Number(values.watch)]
const grace_s = 30
const world = squeezed(createWorld({ seed, scale }), squeeze)
const { matches, fills } = world
const madeAt_s = new Map(
  Array.from({ length: matches.length }, (_, n) => [txHash(world, matches.tx[n] ?? 0), matches.ts_s[n] ?? 0]),
)

/** The instants of the upstream's clock at which the stream showed each signal, by id. */
async function watchFeed({ service, upstream }: Live): Promise<Map<string, Micros>> {
  const key = await createKey(service.accounts, { tier: 'enterprise', now: machineClock() })
  const stream = await listen(Number(new URL(service.url).port), key)
  const seen = new Map<string, Micros>()
  const end = upstream.clock() + watch_s * 1e6
  for (let n = 0; upstream.clock() < end;) {
    for (; n < stream.ids.length; n += 1) seen.set(stream.ids[n] ?? '', upstream.clock())
    await sleep(20)
  }
  stream.close()
  return seen
}

const signalShape = z.object({ id: z.string(), evidence: z.string() })
const refsShape = z.array(z.object({ ref: z.string() }))

/** The seconds of the signals whose match was made in a time, ascending; Infinity if the stream did not show one. */
async function secondsOf(
  { pipeline }: Live,
  seen: ReadonlyMap<string, Micros>,
  [from_s, to_s]: [number, number],
): Promise<number[]> {
  const signals = await pipeline.lake.read(({ query }) =>
    query(`select id, evidence from lake.feed where type = 'wallet'`, signalShape),
  )
  return signals
    .flatMap(({ id, evidence }) => {
      const made_s = madeAt_s.get(refsShape.parse(JSON.parse(evidence))[0]?.ref ?? '')
      return made_s === undefined || made_s <= from_s || made_s > to_s
        ? []
        : [(seen.get(id) ?? Infinity) / 1e6 - made_s]
    })
    .toSorted((a, b) => a - b)
}

const home = await mkdtemp(join(tmpdir(), 'tapeline-bench-'))
const live = await openLive({ home, seed, scale, squeeze, speed: 1, isReal: true })
try {
  await publishTraders(
    live,
    world.traders.map(({ wallet }) => wallet),
    Number(values.wallets),
  )
  const begun_s = live.upstream.clock() / 1e6
  const seen = await watchFeed(live)
  const taken = await secondsOf(live, seen, [begun_s, begun_s + watch_s - grace_s])
  const at = (share: number): number => taken[Math.floor(share * (taken.length - 1))] ?? Number.NaN
  const n_unseen = taken.filter((one) => one === Infinity).length
  const figures = [0.5, 0.9, 0.95].map((share) => `p${100 * share} ${at(share).toFixed(2)} s`)
  console.log(`${fills.length} fills in the world, ${values.wallets} proven traders, load ${loadavg()[0]?.toFixed(1)}`)
  console.log(`${taken.length} signals, ${figures.join(', ')}, ${n_unseen} not seen`)
  console.log(`ratio seconds ${at(0.95).toFixed(2)}`)
} finally {
  await live.close()
  await rm(home, { recursive: true, force: true })
}

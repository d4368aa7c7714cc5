import { parseArgs } from 'node:util'

import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { nearDuplicates } from '#text/clusters/near_duplicates.ts'
import { simhash } from '#text/clusters/simhash.ts'
import { assetsAt, shippedAssets } from '#text/dictionary/shipped.ts'
import { createMatcher } from '#text/matcher/matcher.ts'
import { createTone, shippedWeights } from '#text/sentiment/tone.ts'

import { inOwnProcess, measureHere, median } from './fold/own_process.ts'
import { postsFile } from './social/posts.ts'

/**
 * Posts through the matcher, the model of tone and the search for near-duplicates, on one core, compared with reading
 * the same posts from Parquet: `npm run bench -- social [--posts 500000] [--rounds 3]`. Each run is a separate process,
 * and seconds are those of the processor. `ratio kposts` is thousands of posts a second without the reading, the median
 * over the rounds; `ratio read` is the time of the work divided by that of the reading.
 */
const { values } = parseArgs({
  options: {
    posts: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '3' },
    side: { type: 'string' },
  },
})
const n_posts = Number(values.posts)
const limits = { threads: 1, memory: '2GB' }
type Measured = { read_s: number; match_s: number; tone_s: number; dedup_s: number; note: string }

async function compare(): Promise<void> {
  await postsFile(n_posts, limits)
  const runs: Measured[] = []
  for (let round = 0; round < Number(values.rounds); round++) {
    runs.push(await inOwnProcess<Measured>(import.meta.url, 'work'))
  }
  const rateOf = (seconds: (run: Measured) => number): string =>
    Math.round(n_posts / median(runs.map(seconds))).toLocaleString('en')
  const workOf = ({ match_s, tone_s, dedup_s }: Measured): number => match_s + tone_s + dedup_s
  console.log(`${n_posts.toLocaleString('en')} posts${runs[0]?.note ?? ''}, in posts a second of the processor:`)
  console.log(`reading ${rateOf(({ read_s }) => read_s)}`)
  console.log(`matching ${rateOf(({ match_s }) => match_s)}`)
  console.log(`tone ${rateOf(({ tone_s }) => tone_s)}`)
  console.log(`near-duplicates ${rateOf(({ dedup_s }) => dedup_s)}`)
  console.log(`all three ${rateOf(workOf)}`)
  console.log(`ratio kposts ${median(runs.map((run) => n_posts / workOf(run) / 1000)).toFixed(1)}`)
  console.log(`ratio read ${median(runs.map((run) => workOf(run) / run.read_s)).toFixed(1)}`)
}

/** Reads all posts, then does each part of the work over all of them. */
async function work(folder: string): Promise<Measured> {
  const file = await postsFile(n_posts, limits)
  const instance = await openDuckDB({ ...limits, scratch: folder })
  const posts: { ts: number; text: string }[] = []
  const read_s = await cpuSeconds(() =>
    withConnection(instance, async (connection) => {
      const result = await connection.stream(`select epoch_us(ts)::double, text from read_parquet(${literal(file)})`)
      for await (const rows of result.yieldRows()) {
        for (const [ts, text] of rows) posts.push({ ts: Number(ts), text: String(text) })
      }
    }),
  )
  const match = createMatcher(assetsAt(shippedAssets(), posts[0]?.ts ?? 0))
  const toneOf = createTone(shippedWeights())
  let [n_mentions, n_tones, n_groups] = [0, 0, 0]
  const match_s = await cpuSeconds(() => {
    for (const { text } of posts) n_mentions += match({ text, is_crypto: false }).length
  })
  const tone_s = await cpuSeconds(() => {
    for (const { text } of posts) if (toneOf(text).label !== 'neutral') n_tones += 1
  })
  const dedup_s = await cpuSeconds(() => {
    const firsts = nearDuplicates(posts.map(({ ts, text }) => ({ ts, simhash: simhash(text) })))
    n_groups = new Set(firsts).size
  })
  const [mentions, tones, groups] = [n_mentions, n_tones, n_groups].map((n) => n.toLocaleString('en'))
  const note = ` with ${mentions} mentions, ${tones} tones and ${groups} groups`
  return { read_s, match_s, tone_s, dedup_s, note }
}

async function cpuSeconds(part: () => Promise<void> | void): Promise<number> {
  const before = process.cpuUsage()
  await part()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

if (values.side === undefined) await compare()
else await measureHere(work)

import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'
import { openRecordings } from '#test/recordings/folder.ts'

/** Recorded posts. */
export const { folder: socialDir, isRecorded: isSocialRecorded } = openRecordings('social')

/** A recorded post: its id in its set, its time in microseconds, its text, and whether its channel is about crypto. */
export type RecordedPost = { id: string; at: number; text: string; is_crypto: boolean }

const reddit = 'anatosun__reddit-cryptocurrency-analysis/reddit_crypto'

/** The sets of posts: selects of id, at and text from a file, and whether all of the set is about crypto. */
const sets = {
  reddit_posts: {
    file: `${reddit}_posts_2022-04-15_05-31.jsonl.gz`,
    is_crypto: true,
    select: (file: string) => `select id, "at" * 1000000 as us, title as text from read_json(${file})`,
  },
  reddit_comments: {
    file: `${reddit}_comments_2022-05-06_31.jsonl.gz`,
    is_crypto: true,
    select: (file: string) => `select id, "at" * 1000000 as us, body as text from read_json(${file})`,
  },
  tweets_2019: {
    file: 'willwillis__Crypto-Sentiment-Clusters/bitcoin_tweets_2019-10-22_28.jsonl.gz',
    is_crypto: false,
    select: (file: string) =>
      `select id, epoch_us("at"::timestamp) as us, text from read_json(${file}) where text is not null`,
  },
  tweets_2018: {
    file: 'Drabble__TwitterSentimentAndCryptocurrencies/btc_tweets_2018-05-23.csv.gz',
    is_crypto: false,
    select: (file: string) => `select id, epoch_us(timestamp '2018-05-23') as us, text from ${csv(file)}`,
  },
  stocktwits_2022: {
    file: 'tianyhe__stocktwits_scraper/2022-07-18-message.csv',
    is_crypto: true,
    select: (file: string) =>
      `select message_id as id, epoch_us(created_at::timestamp) as us, body as text from ${csv(file)}`,
  },
  stocktwits_2026: {
    file: '7scgb4t8vc-cpu__stocktwits-collector/stocktwits_2026_raw_dedup.jsonl.gz',
    is_crypto: false,
    select: (file: string) => `select id, epoch_us(created_at::timestamp) as us, body as text from read_json(${file})`,
  },
  news_2025: {
    file: 'YaoSheng-Yu__crypto-sentiment/crypto_news_2025_2026.jsonl.gz',
    is_crypto: false,
    // Addresses of news have the words of their titles.
    select: (file: string) =>
      `select md5(url) as id, epoch_us(published_at::timestamp) as us, title as text from read_json(${file})`,
  },
  headlines: {
    file: 'manoelgadi__CryptoLin/CryptoLin_IE.csv',
    is_crypto: true,
    select: (file: string) => `select id, epoch_us(date::timestamp) as us, news as text from ${csv(file)}`,
  },
  cryptopanic: {
    file: 'L1ZLe__Tweets-Scrapper/cryptopanic_news.csv',
    is_crypto: true,
    select: (file: string) =>
      `select row_number() over () - 1 as id, epoch_us(timestamp '2025-02-01') as us, "Title" as text from ${csv(file)}`,
  },
}
export type SocialSet = keyof typeof sets
export const socialSets = Object.keys(sets) as SocialSet[]

const csv = (file: string): string => `read_csv(${file}, header = true, all_varchar = true, quote = '"', escape = '"')`

/** Reads a set of recorded posts, without white space at the end of texts. */
export async function recordedPosts(set: SocialSet): Promise<RecordedPost[]> {
  const { file, is_crypto, select } = sets[set]
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: tmpdir() })
  const sql = `select id::varchar, us::double, rtrim(coalesce(text, ''), E' \\n\\r\\t') from (${select(literal(join(socialDir, file)))})`
  return withConnection(instance, async (connection) => {
    const { getRows } = await connection.runAndReadAll(sql).then((reader) => ({ getRows: () => reader.getRows() }))
    return getRows().map(([id, at, text]) => ({ id: String(id), at: Number(at), text: String(text), is_crypto }))
  })
}

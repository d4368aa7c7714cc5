import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { z } from 'zod'

import { literal, openDuckDB, withConnection } from '#storage/duckdb.ts'

/** A labelled text: 1 bullish, 0 neutral, -1 bearish. */
export type Labelled = { set: string; text: string; label: -1 | 0 | 1; is_test: boolean }

/** Reads rows of `text, label, is_test` by SQL; `file` is a literal. */
type LabelSet = {
  file: string
  licence: string
  /** Whether its neutral labels mean neutral, so that it teaches the first head. */
  hasNeutral: boolean
  /** The weight of each of its rows. */
  weight: number
  select: (file: string) => string
}

const csv = (file: string): string => `read_csv(${file}, header = true, all_varchar = true, quote = '"', escape = '"')`
const lines = (file: string): string =>
  `(select unnest(string_split(content, chr(10))) as line from read_text(${file}))`
/** A fifth of the texts, by a hash of their words. */
const HELD = 'null'

/**
 * The sets of labels, by their files below the folder of recordings. The test splits: a fifth by a hash of the words
 * (pyfin, cryptolin), the published split (zeroshot, emotions), a later time (stocktwits, stocktwits_2026).
 */
export const labelSets = {
  pyfin: {
    file: 'moritzwilksch__MasterThesis/labeled_tweets.parquet',
    licence: 'no licence file; its sister package pyfin-sentiment is MIT',
    hasNeutral: true,
    weight: 1,
    select: (file) =>
      `select text, case label::int when 1 then 1 when 2 then 0 else -1 end as label, ${HELD} as is_test
       from read_parquet(${file}) where label::int <> 0`,
  },
  zeroshot: {
    file: 'umaima-aman__Twee_Sentiment_Analysis-DeepLearning/sent_*.csv',
    licence: 'MIT (zeroshot/twitter-financial-news-sentiment)',
    hasNeutral: true,
    weight: 1,
    select: (file) =>
      `select text, case label when '1' then 1 when '0' then -1 else 0 end as label, filename like '%valid%' as is_test
       from ${csv(file).replace(', header', ', filename = true, header')}`,
  },
  cryptolin: {
    file: 'manoelgadi__CryptoLin/CryptoLin_IE.csv',
    licence: 'no licence file; published for research',
    hasNeutral: true,
    weight: 2,
    select: (file) => `select news as text, final_manual_labelling::int as label, ${HELD} as is_test from ${csv(file)}`,
  },
  stocktwits: {
    file: 'tianyhe__stocktwits_scraper/2022-07-18-message.csv',
    licence: 'none stated',
    hasNeutral: false,
    weight: 1,
    select: (file) =>
      `select body as text, if(tag = 'Bullish', 1, -1) as label, created_at >= '2022-07-10' as is_test
       from ${csv(file)} where tag in ('Bullish', 'Bearish')`,
  },
  emotions: {
    file: 'adlnlp__StockEmotions/*_stockemo.csv',
    licence: 'none stated; for research',
    hasNeutral: false,
    weight: 0.5,
    select: (file) =>
      `select original as text, if(senti_label = 'bullish', 1, -1) as label, filename like '%val_%' as is_test
       from ${csv(file).replace(', header', ', filename = true, header')}`,
  },
  ncelq: {
    file: 'ncelq__stocktwits-ml/ml-data.txt',
    licence: 'none stated',
    hasNeutral: false,
    weight: 0.5,
    select: (file) =>
      `select substr(line, 5) as text, if(line like '1.0,%', 1, -1) as label, false as is_test
       from ${lines(file)} where line[2:4] = '.0,'`,
  },
  pfaff: {
    file: 'HendrikPfaff__Stocktwits-sentiment-analysis/raw.csv',
    licence: 'none stated',
    hasNeutral: false,
    weight: 0.5,
    select: (file) =>
      `select line[1] as text, if(line[2] = 'Bullish', 1, -1) as label, false as is_test
       from (select regexp_extract(line, '^\\d+;\\d+;[^;]*;(.*);(Bullish|Bearish);?\\s*$', ['1', '2']) as line from ${lines(file)})
       where line[2] <> ''`
        .replaceAll('line[1]', `line['1']`)
        .replaceAll('line[2]', `line['2']`),
  },
  fiqa_post: { ...fiqa('post'), hasNeutral: false },
  fiqa_headline: { ...fiqa('headline'), hasNeutral: true },
  stocktwits_2026: {
    file: '7scgb4t8vc-cpu__stocktwits-collector/stocktwits_2026_raw_dedup.jsonl.gz',
    licence: 'none stated',
    hasNeutral: false,
    weight: 0,
    select: (file) =>
      `select body as text, if(entities.sentiment.basic = 'Bullish', 1, -1) as label, true as is_test
       from read_json(${file}) where entities.sentiment.basic is not null`,
  },
} satisfies Record<string, LabelSet>
export type LabelSetName = keyof typeof labelSets

/** The mean of the scores of a sentence, from -1 to 1; neutral between -0.1 and 0.1. */
function fiqa(kind: 'post' | 'headline'): Omit<LabelSet, 'hasNeutral'> {
  return {
    file: `elinsky__fiqa/task1_${kind}_ABSA_train.json`,
    licence: 'MIT repository; FiQA data for research',
    weight: 1,
    select: (file) =>
      `select value->>'sentence' as text, false as is_test,
         (case when score > 0.1 then 1 when score < -0.1 then -1 else 0 end) as label
       from (
         select value, list_avg((value->>'$.info[*].sentiment_score')::double[]) as score
         from read_text(${file}), json_each(content::json)
       )`,
  }
}

/**
 * Reads the sets below a folder. Rows for training that have the words of a test row, or of another row of their set,
 * are left out.
 */
export async function readLabelSets(folder: string): Promise<Labelled[]> {
  const instance = await openDuckDB({ threads: 1, memory: '1GB', scratch: tmpdir() })
  const rows: Labelled[] = []
  await withConnection(instance, async (connection) => {
    for (const [set, { file, select }] of Object.entries<LabelSet>(labelSets)) {
      const reader = await connection.runAndReadAll(select(literal(join(folder, file))))
      for (const { text, label, is_test } of reader.getRowObjectsJS()) {
        const words = z.string().parse(text)
        const isHeld = is_test === null ? isHeldOut(words) : Boolean(is_test)
        rows.push({ set, text: words, label: Number(label) as Labelled['label'], is_test: isHeld })
      }
    }
  })
  const tests = new Set(rows.filter(({ is_test }) => is_test).map(({ text }) => wordsOf(text)))
  const seen = new Set<string>()
  return rows.filter(({ set, text, is_test }) => {
    const words = wordsOf(text)
    if (is_test) return words !== ''
    if (words === '' || tests.has(words) || seen.has(`${set} ${words}`)) return false
    seen.add(`${set} ${words}`)
    return true
  })
}

const wordsOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/https?:\S+|[^a-z0-9]+/g, ' ')
    .trim()

const md5 = (text: string): string => createHash('md5').update(text).digest('hex')
const isHeldOut = (text: string): boolean => Number.parseInt(md5(wordsOf(text)).slice(0, 8), 16) % 5 === 0

/** The part of a text in a division into `n` parts, by a hash. */
export const foldOf = (text: string, n: number): number => Number.parseInt(md5(`fold ${text}`).slice(0, 8), 16) % n

/** The crypto lexicon of Chen, Després, Guo and Renault (MIT): a CSV of `keyword,sw,positive,negative`. */
export const readLexiconFile = (folder: string): string =>
  readFileSync(join(folder, 'dang-trung__crypto-sentiment-index/crypto_lexicon.csv'), 'utf8')

import { createHash } from 'node:crypto'

import { serveAnswers } from './serve_answers.ts'

/** Rows of a page. */
const pageRows = 1_000

/** An upstream with one list of a given size, in pages of about 0.4 MB. */
export type LargeUpstream = {
  url: string
  n_rows: number
  n_pages: number
  /** The numbers of the requested pages since the last call. */
  asked: () => number[]
  /** Called with the number of each requested page, before its answer. */
  onPage: (call: (page: number) => void) => void
  /** From now on the list has an edition of its own, whose rows are others. */
  change: () => void
  close: () => Promise<void>
}

/** Serves a list of about so many megabytes, newest first. Volumes differ in every answer. */
export async function serveLarge(megabytes: number): Promise<LargeUpstream> {
  const bytes = Buffer.byteLength(pageText(0, 0, 1))
  const n_pages = Math.max(2, Math.round((megabytes * 1e6) / bytes))
  let [asked, edition, call]: [number[], number, (page: number) => void] = [[], 0, () => undefined]
  const server = await serveAnswers(({ searchParams }) => {
    const page = Number(searchParams.get('cursor') ?? 0)
    const limit = Number(searchParams.get('limit'))
    asked.push(page)
    call(page)
    return limit < pageRows ? shortPage(page, edition, limit) : pageText(page, edition, n_pages)
  })
  return {
    ...server,
    n_rows: n_pages * pageRows,
    n_pages,
    asked: () => {
      const before = asked
      asked = []
      return before
    },
    onPage: (next) => {
      call = next
    },
    change: () => {
      edition += 1
    },
  }
}

let n_answers = 0

function pageText(page: number, edition: number, n_pages: number): string {
  n_answers += 1
  const next = page + 1 < n_pages ? `"${page + 1}"` : 'null'
  const rows = Array.from({ length: pageRows }, (_, n) => rowText(page * pageRows + n, edition))
  return `{"volume":${n_answers}.5,"rows":[${rows.join(',')}],"next":${next}}`
}

/** The start of a page, as a list gives it for a smaller limit. */
const shortPage = (page: number, edition: number, limit: number): string =>
  `{"rows":[${Array.from({ length: limit }, (_, n) => rowText(page * pageRows + n, edition)).join(',')}],"next":"short"}`

/** A row of about 400 bytes, which follows from its number. */
function rowText(n: number, edition: number): string {
  const hash = createHash('sha256').update(`${edition} ${n}`).digest('hex')
  const token = BigInt(`0x${hash.slice(0, 4)}`) + 10n ** 76n
  const trader = `0x${hash.slice(24)}`
  return (
    `{"transaction_hash":"0x${hash}","proxy_wallet":"${trader}","token_id":"${token}","side":"${n % 2 === 0 ? 'BUY' : 'SELL'}",` +
    `"timestamp":${1_700_000_000 - n},"price":${(n % 999) + 1},"size":${(n % 5_000) + 1},` +
    `"title":"Will the list of rows be read whole?","slug":"will-the-list-of-rows-be-read-whole"}`
  )
}

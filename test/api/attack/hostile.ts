/** Requests that no well-behaved client sends, each with the statuses that it may get. */
export type Hostile = { name: string; bytes: string; statuses: readonly number[] }

const path = '/v1/pm-markets?limit=5'

/** Text of a request: a first line, `Host`, the key, further lines and a body. */
export const requestOf = (of: { line?: string; key?: string; lines?: string[]; body?: string }): string => {
  const { line = `GET ${path} HTTP/1.1`, key, lines = [], body = '' } = of
  const all = [line, 'Host: localhost', ...(key === undefined ? [] : [`Authorization: Bearer ${key}`]), ...lines]
  return `${all.join('\r\n')}\r\n\r\n${body}`
}

const big = 'x'.repeat(64 * 1024)
const post = 'POST /v1/alerts HTTP/1.1'

/** The cases by name. A request that is answered with 200 is read as a well-formed one. */
export const hostileRequests = (key: string): Hostile[] => {
  const own = (name: string, statuses: number[], of: Parameters<typeof requestOf>[0]): Hostile => ({
    name,
    statuses,
    bytes: requestOf({ key, ...of }),
  })
  const chunked = 'Transfer-Encoding: chunked'
  return [
    own('headers of 64 KB', [431], { lines: [`X-Big: ${big}`] }),
    own('a thousand headers', [431], { lines: Array.from({ length: 3_000 }, (_, i) => `X-${i}: 1`) }),
    own('a URL of 64 KB', [431], { line: `GET /v1/pm-markets?limit=${big} HTTP/1.1` }),
    own('a key of 10 KB', [401], { key: `tl_live_${big.slice(0, 10_000)}` }),
    own('NUL in the URL', [400], { line: 'GET /v1/pm-markets?limit=\0 HTTP/1.1' }),
    own('NUL in a header', [400], { lines: ['X-Request-Id: a\0bcdefgh'] }),
    own('NUL in the method', [400], { line: `G\0T ${path} HTTP/1.1` }),
    own('an encoded NUL', [400], { line: 'GET /v1/pm-markets?limit=%00 HTTP/1.1' }),
    own('bytes above ASCII in the URL', [400], { line: 'GET /v1/pm-markets?limit=\xff\xfe HTTP/1.1' }),
    own('a lone surrogate, encoded', [400], { line: 'GET /v1/pm-markets?limit=%ED%A0%80 HTTP/1.1' }),
    own('a broken percent-encoding in the path', [400, 404], { line: 'GET /v1/%zz HTTP/1.1' }),
    own('CL and TE at once', [400], {
      lines: ['Content-Length: 5', chunked],
      body: '0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n',
    }),
    own('TE and CL at once', [400], { lines: [chunked, 'Content-Length: 5'], body: '0\r\n\r\n' }),
    own('two lengths', [400], { lines: ['Content-Length: 5', 'Content-Length: 6'], body: 'abcdef' }),
    own('a negative length', [400], { lines: ['Content-Length: -5'] }),
    own('a length with a sign', [400], { lines: ['Content-Length: +5'], body: 'abcde' }),
    own('an unknown transfer encoding', [400], { lines: ['Transfer-Encoding: xchunked'] }),
    own('a transfer encoding after chunked', [400], {
      lines: ['Transfer-Encoding: chunked, identity'],
      body: '0\r\n\r\n',
    }),
    own('a space before the colon', [400], { lines: ['Transfer-Encoding : chunked'] }),
    own('a folded header', [400], { lines: ['X-Folded: a', ' b'] }),
    own('a bare LF', [400], { lines: ['X-A: b\nX-C: d'] }),
    own('a bare CR', [400], { lines: ['X-A: b\rX-C: d'] }),
    own('a header without a name', [400], { lines: [': value'] }),
    own('a chunk size that is no number', [400, 401, 403, 404, 405], {
      line: post,
      lines: [chunked],
      body: 'zz\r\nabc\r\n0\r\n\r\n',
    }),
    own('a chunk larger than its data', [400, 404, 405, 415], { line: post, lines: [chunked], body: 'ff\r\nabc\r\n' }),
    own('a chunk size beyond 64 bits', [400, 404, 405, 415], {
      line: post,
      lines: [chunked],
      body: `${'f'.repeat(20)}\r\nabc\r\n`,
    }),
    own('chunks on a read', [200, 400], { lines: [chunked], body: '3\r\nabc\r\n0\r\n\r\n' }),
    own('bad chunks on a read', [200, 400], { lines: [chunked], body: 'q\r\nabc\r\n' }),
    own('a body that is cut off', [400, 404, 405, 415], { line: post, lines: ['Content-Length: 500'], body: '{"a":' }),
    own('a body of 10 MB, announced', [413, 404, 405], { line: post, lines: ['Content-Length: 10000000'], body: 'x' }),
    own('a body of 10 MB on a read, announced', [413], { lines: ['Content-Length: 10000000'], body: 'x' }),
    own('an expectation that is not 100-continue', [200, 417], { lines: ['Expect: a miracle'] }),
    own('no version', [400], { line: `GET ${path}` }),
    own('another protocol', [400], { line: `GET ${path} FTP/1.1` }),
    own('HTTP/2 by its preface', [400], { line: 'PRI * HTTP/2.0' }),
    own('an unknown method', [400], { line: `EAT ${path} HTTP/1.1` }),
    own('a path that climbs', [400, 404], { line: 'GET /../../etc/passwd HTTP/1.1' }),
    own('a path that climbs, encoded', [400, 404], { line: 'GET /docs/%2e%2e%2f%2e%2e%2fpackage.json HTTP/1.1' }),
    own('names of prototypes', [400], { line: 'GET /v1/pm-markets?__proto__=1&constructor=2 HTTP/1.1' }),
    own('an array in the query', [400], { line: 'GET /v1/pm-markets?limit[]=1 HTTP/1.1' }),
    own('1,500 parameters', [400], { line: `GET /v1/pm-markets?${'limit=1&'.repeat(1_500)} HTTP/1.1` }),
    own('SQL', [400], { line: "GET /v1/pm-markets?platform=x';drop%20table%20marts.pm_markets;-- HTTP/1.1" }),
    own('SQL as a chain', [400], { line: "GET /v1/discover?chain=x'%20or%201=1;-- HTTP/1.1" }),
    own('a chain of 10 KB', [400], { line: `GET /v1/discover?chain=${'a'.repeat(10_000)} HTTP/1.1` }),
    own('a name of prototypes as a chain', [400], { line: 'GET /v1/wallet?address=0x0&chain=constructor HTTP/1.1' }),
    own('an address of 10 KB', [400], { line: `GET /v1/wallet?address=0x${'0'.repeat(10_000)} HTTP/1.1` }),
    own('base58 of 10 KB', [400], { line: `GET /v1/wallet?address=${'z'.repeat(10_000)} HTTP/1.1` }),
    own('two chains', [400], { line: `GET /v1/wallet?address=0x${'0'.repeat(40)}&chain=base&chain=8453 HTTP/1.1` }),
    own('a cursor of bytes', [400], { line: `GET /v1/pm-markets?cursor=${'A'.repeat(999)} HTTP/1.1` }),
    own('an Accept without end', [200, 406], { lines: [`Accept: ${'a/b,'.repeat(3_000)}`] }),
    own('an If-None-Match without end', [200], { lines: [`If-None-Match: ${'"a",'.repeat(3_000)}`] }),
    own('an Accept-Encoding without end', [200], { lines: [`Accept-Encoding: ${'gzip;q=0.1,'.repeat(1_200)}`] }),
    own('the end of a TLS handshake', [400], { line: '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' }),
    { name: 'no Host', statuses: [400], bytes: 'GET /healthz HTTP/1.1\r\n\r\n' },
    { name: 'nothing but an end', statuses: [400, 408], bytes: '\r\n\r\n\r\n' },
    { name: 'half a request', statuses: [408], bytes: 'GET /v1/pm-markets HTTP/1.1\r\nHost: localhost\r\nAutho' },
  ]
}

/** Random bytes from a seed. */
export function randomFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

const inserts = [
  '\0',
  '\r',
  '\n',
  '\r\n',
  '\x7f',
  '\xff',
  '%00',
  '%',
  '&',
  '=',
  ';',
  ' ',
  ':',
  '\t',
  '"',
  "'",
  '{',
  '0',
  '-1',
  'chunked',
]

/** A request with some bytes replaced, inserted, repeated or cut off. */
export function mutated(bytes: string, random: (below: number) => number): string {
  let text = bytes
  for (let n = 1 + random(4); n > 0; n--) {
    const at = random(text.length)
    const end = at + random(20)
    const insert = inserts[random(inserts.length)] ?? ''
    const ways = [
      () => text.slice(0, at) + insert + text.slice(at + 1),
      () => text.slice(0, at) + insert + text.slice(at),
      () => text.slice(0, at) + String.fromCharCode(random(256)) + text.slice(at + 1),
      () => text.slice(0, at) + text.slice(end),
      () => text.slice(0, end) + text.slice(at),
      () => text.slice(0, at),
    ]
    text = (ways[random(ways.length)] ?? (() => text))()
  }
  return text
}

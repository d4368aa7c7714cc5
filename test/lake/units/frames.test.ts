import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { framesOf } from '#lake/raw/frames.ts'
import { openSegment, readReplies, readSegment, type RawReply } from '#lake/raw/segment.ts'
import { writeByDuckDB, writeLines } from '#lake/raw/write_lines.ts'
import { newLake } from '#test/lake/fixture.ts'

const bodies = ['', 'x', 'x'.repeat(300_000), Array.from({ length: 40_000 }, (_, n) => n * n).join(), 'é'.repeat(2e6)]
const replyOf = (body: string): RawReply => ({ host: 'venue', path: '/x', query: '', status: 200, body })

test('files of raw responses that are joined are read as the frames that they were', async () => {
  const lake = await newLake()
  const parts: Buffer[] = []
  for (const [n, body] of bodies.entries()) {
    const segment = openSegment(lake.writer, lake.scratch, n)
    segment.add(replyOf(body))
    parts.push(await readFile(await segment.write()))
  }
  const file = join(lake.home, 'joined.ndjson.zst')
  await writeFile(file, Buffer.concat(parts))

  const lengths: number[][] = []
  for await (const frame of framesOf(file, lake.scratch))
    lengths.push((await readSegment(lake.writer, frame)).map(({ body }) => body.length))
  expect(lengths).toEqual(bodies.map((body) => [body.length]))

  const replies: RawReply[] = []
  for await (const reply of readReplies(lake.writer, lake.scratch, file)) replies.push(reply)
  expect(replies).toEqual(bodies.map(replyOf))
})

test('a file that is cut off or no zstd is refused', async () => {
  const lake = await newLake()
  const segment = openSegment(lake.writer, lake.scratch, 0)
  segment.add(replyOf('x'.repeat(1_000)))
  const whole = await readFile(await segment.write())
  const file = join(lake.home, 'bad.ndjson.zst')
  const read = async (bytes: Buffer): Promise<unknown> => {
    await writeFile(file, bytes)
    return framesOf(file, lake.scratch).next()
  }
  await expect(read(whole.subarray(0, -9))).rejects.toThrow('it ends within a frame; expected raw responses')
  await expect(read(Buffer.from('{"n":0}\n'))).rejects.toThrow('no zstd frame at 0; expected raw responses')
})

test('Node and DuckDB write frames of the same text', async () => {
  const lake = await newLake()
  const line = (n: number): string =>
    JSON.stringify({ n, piece: 0, host: 'h', path: '', query: '', status: 200, body: 'é' })
  const files = ['node', 'duckdb'].map((name) => join(lake.home, `${name}.ndjson.zst`))
  const [byNode = '', byDuckDB = ''] = files
  await writeLines(lake.writer, byNode, [line(0), line(1)])
  await writeByDuckDB(lake.writer, byDuckDB, Buffer.from(`${line(0)}\n${line(1)}\n`))
  for (const file of files) {
    const frames: RawReply[][] = []
    for await (const frame of framesOf(file, lake.scratch)) frames.push(await readSegment(lake.writer, frame))
    expect(frames).toEqual([[replyOf('é'), replyOf('é')].map((reply) => ({ ...reply, host: 'h', path: '' }))])
  }
})

test('a text of more bytes than the memory that texts share is written whole', async () => {
  const lake = await newLake()
  const segment = openSegment(lake.writer, lake.scratch, 0)
  const replies = [replyOf('first'), replyOf('é'.repeat(17_000_000)), replyOf('last')]
  for (const reply of replies) segment.add(reply)
  const read = await readSegment(lake.writer, await segment.write())
  expect(read.map(({ body }) => body.length)).toEqual(replies.map(({ body }) => body.length))
  expect(read[1]?.body === replies[1]?.body).toBe(true)
})

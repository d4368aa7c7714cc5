import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { expect, test } from 'vitest'

import { framesOf } from '#lake/raw/frames.ts'
import { openSegment, readReplies, readSegment, type RawReply } from '#lake/raw/segment.ts'
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

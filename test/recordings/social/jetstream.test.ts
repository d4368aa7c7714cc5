import { describe, expect, it } from 'vitest'

import { readEvent, type NetworkEvent } from '#sources/social/bluesky/wire/jetstream_events.ts'
import { fullText } from '#sources/social/bluesky/wire/post_record.ts'

import { isRecorded, recordedLines } from './files.ts'

const events = (name: string): NetworkEvent[] =>
  recordedLines(`bluesky-social__jetstream/${name}.jsonl`).map((line) => readEvent(line))

const counted = (of: readonly NetworkEvent[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const event of of) {
    const name = event.is === 'engagement' ? event.kind : event.is
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

describe.skipIf(!isRecorded)('recorded events of Jetstream', () => {
  it('of every kind are read', () => {
    expect(counted(events('golden_v1'))).toEqual({ like: 1, post: 1, repost: 1, other: 7 })
  })

  it('of production are all read, with their texts', () => {
    const read = events('expected_v1')
    expect(counted(read)).toEqual({ like: 105, post: 17, repost: 15, 'post deleted': 1, other: 14 })
    const texts = read.flatMap((event) => (event.is === 'post' ? [fullText(event.record)] : []))
    expect(texts.every((text) => text !== '')).toBe(true)
  })
})

import type { SocialAnswer } from '#sim/server/reply.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'

import { castHash } from './casts.ts'
import { newestOf, ok } from './paging.ts'

const EPOCH_S = 1_609_459_200

/** A Snapchain node: the casts of one channel, by the address of its parent. */
export const nodeOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now) => {
    if (path !== '/v1/castsByParent') return { status: 404, body: '{}' }
    const token = query.get('pageToken')
    const posts = newestOf({ world, platform: 'farcaster', now }, token === null ? Infinity : Number(token))
    const page = posts.slice(0, Number(query.get('pageSize') ?? 100))
    const nextPageToken = posts.length > page.length ? String(page.at(-1)?.n) : ''
    return ok({ messages: page.map((post) => wireMessage(post, query.get('url') ?? '')), nextPageToken })
  }

/** Every third cast mentions an account after its first word, which is cut out of the text. */
function wireMessage({ n, at, author, text, parent, quoted }: PlatformPost, parentUrl: string) {
  const position = Buffer.byteLength(text.split(' ')[0] ?? '')
  const mentioned = n % 3 === 0 ? { mentions: [7], mentionsPositions: [position] } : {}
  return {
    data: {
      type: 'MESSAGE_TYPE_CAST_ADD',
      fid: author + 1,
      timestamp: Math.floor(at / 1_000_000) - EPOCH_S,
      network: 'FARCASTER_NETWORK_MAINNET',
      castAddBody: {
        embedsDeprecated: [],
        mentions: [],
        mentionsPositions: [],
        ...mentioned,
        parentCastId: parent === null ? null : { fid: 1, hash: castHash(parent) },
        parentUrl,
        text,
        embeds: quoted === null ? [] : [{ castId: { fid: 1, hash: castHash(quoted) } }],
        type: 'CAST',
      },
    },
    hash: castHash(n),
  }
}

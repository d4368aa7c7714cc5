import { mix } from '#sim/random.ts'
import type { SocialAnswer } from '#sim/server/reply.ts'
import { isRemoved, newestOf, REMOVED_AFTER } from '#sim/social/json_wire/paging.ts'
import type { PlatformPost } from '#sim/social/platform_posts.ts'
import type { SocialWorld } from '#sim/social/world.ts'

/** The simulated channels. The page of any other channel leads to the app. */
export const channelNames = ['Chain_News', 'alpha_calls'] as const

/** A page shows so many messages. */
const SHOWN = 20

/** The channel of a message, by its place among the channels, and its number there. */
export const channelOf = ({ n }: Pick<PlatformPost, 'n'>): number => mix(n, 71) % channelNames.length
export const messageNumber = (n: number): number => n + 1

/** Whether a message has a picture and no text, and whether it is forwarded. */
export const isPicture = ({ n }: Pick<PlatformPost, 'n'>): boolean => mix(n, 72) % 9 === 0
export const isForwarded = ({ n }: Pick<PlatformPost, 'n'>): boolean => mix(n, 73) % 5 === 0

/** The pages of channels, as Telegram shows them without an account: the oldest message of a page is the first. */
export const previewsOf =
  (world: SocialWorld): SocialAnswer =>
  ({ path, query }, now) => {
    const name = /^\/s\/(\w+)$/.exec(path)?.[1] ?? ''
    const place = channelNames.findIndex((channelName) => channelName === name)
    if (place === -1) return { status: 302, body: '', headers: { location: `https://t.me/${name}` } }
    const before = Number(query.get('before') ?? Infinity)
    const shown = newestOf({ world, platform: 'telegram', now }, before - messageNumber(0))
      .filter((post) => channelOf(post) === place && !(isRemoved(post) && now >= post.at + REMOVED_AFTER))
      .slice(0, SHOWN)
      .toReversed()
    const body = shown.map((post) => wireMessage(name, post)).join('')
    return {
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8' },
      body: `<!DOCTYPE html><html><head><title>${name}</title></head><body><main class="tgme_main"><section class="tgme_channel_history js-message_history">${body}</section></main></body></html>`,
    }
  }

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')

function wireMessage(name: string, post: PlatformPost): string {
  const forwarded = isForwarded(post)
    ? '<div class="tgme_widget_message_forwarded_from">Forwarded from <a class="tgme_widget_message_forwarded_from_name" href="https://t.me/other">Other</a></div>'
    : ''
  // An answer shows a part of the answered message.
  const answered =
    post.parent === null
      ? ''
      : '<a class="tgme_widget_message_reply" href="#"><div class="tgme_widget_message_text">$BTC to the moon</div></a>'
  const text = isPicture(post)
    ? '<a class="tgme_widget_message_photo_wrap" href="#"></a>'
    : `<div class="tgme_widget_message_text js-message_text" dir="auto"><b>${escaped(post.text)}</b><br/><a href="https://site.example/">more</a></div>`
  const at = new Date(post.at / 1000).toISOString().replace(/\.\d+Z$/, '+00:00')
  return (
    `<div class="tgme_widget_message_wrap js-widget_message_wrap"><div class="tgme_widget_message js-widget_message" ` +
    `data-post="${name}/${messageNumber(post.n)}">${forwarded}${answered}${text}<div class="tgme_widget_message_footer">` +
    `<span class="tgme_widget_message_views">12.3K</span><span class="tgme_widget_message_meta">edited ` +
    `<a class="tgme_widget_message_date" href="#"><time datetime="${at}" class="time">10:00</time></a></span></div></div></div>`
  )
}

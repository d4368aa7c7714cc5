import { z } from 'zod'

import { news } from '#registry/platforms/news.ts'
import type { ReadPost } from '#sources/social/post_rows.ts'
import type { Micros } from '#time.ts'

/** The platform: its articles are news, as those of feeds are. */
export const PLATFORM = news.id

/** `20230918T031500Z`, the UTC instant at which GDELT saw the article. */
const seenDate = z
  .string()
  .regex(/^\d{8}T\d{6}Z$/, 'expected an instant such as 20230918T031500Z')
  .transform((text) => {
    const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text) ?? []
    return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`) * 1000
  })
  .refine((at) => !Number.isNaN(at), 'expected an instant of the calendar')

/** An article of the list of articles. It has a title and no text. */
export const article = z.object({
  url: z.url('expected the address of the article'),
  title: z.string().min(1, 'expected a title'),
  seendate: seenDate,
  domain: z.string().min(1, 'expected the domain of the outlet'),
  language: z.string().nullish(),
})
export type Article = z.output<typeof article>

export const articleId = ({ url }: Article): string => `gdelt/${url}`

/** An article as a post of its domain, at most as late as its reading. */
export const postOf = (listedArticle: Article, at: Micros): ReadPost => ({
  platform: PLATFORM,
  post_id: articleId(listedArticle),
  ts: Math.min(listedArticle.seendate, at),
  author: listedArticle.domain,
  kind: 'post',
  // GDELT puts spaces around signs.
  text: listedArticle.title
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ([,.:;!?%])/g, '$1')
    .replaceAll('$ ', '$'),
  channel: 'gdelt',
  url: listedArticle.url,
})

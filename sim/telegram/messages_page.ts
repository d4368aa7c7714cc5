import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'

import type { Clock } from '#time.ts'

import type { Attempt, Chats } from './chats.ts'

/** The page shows so many calls, the newest first. */
const most = 200

/** `/sim/telegram`: the calls of `sendMessage` with their outcomes, and buttons that block the bot as a person. */
export function messagesPage(options: {
  username: string
  clock: Clock
  chats: Pick<Chats, 'personOf' | 'block' | 'nameOf'>
}) {
  const { username, clock, chats } = options
  const rows: (Attempt & { at: string })[] = []

  const add = (attempt: Attempt): void => {
    rows.unshift({ ...attempt, at: new Date(clock() / 1_000).toISOString().slice(11, 19) })
    rows.length = Math.min(rows.length, most)
  }

  /** Answers a request of the page; false if the request is for another one. */
  const answer = async (request: IncomingMessage, response: ServerResponse, pathname: string): Promise<boolean> => {
    if (request.method === 'POST' && pathname === '/sim/telegram/block') {
      const name = new URLSearchParams(await text(request)).get('username') ?? ''
      chats.block(chats.personOf(name))
      response.writeHead(303, { location: '/sim/telegram' }).end()
      return true
    }
    if (request.method !== 'GET' || pathname !== '/sim/telegram') return false
    const shown = rows.map((row) => ({ ...row, to: chats.nameOf(row.chat_id) }))
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(username, shown))
    return true
  }
  return { add, answer }
}

/** The text of each outcome on the page. */
const meanings: Record<string, string> = {
  delivered: 'delivered',
  lost: 'delivered, but the answer was lost: it is sent again',
  cut: 'the connection was cut before it was sent: it is tried again',
  unanswered: 'no answer: it is tried again after a timeout',
}

type Row = Attempt & { at: string; to: string }

const page = (username: string, rows: readonly Row[]) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Messages of @${username}</title>
<style>body{font:1rem/1.5 sans-serif;margin:1rem} td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;white-space:pre-wrap}</style>
<h1>Messages of @${username}</h1>
<p>This page stands for Telegram. One call in three goes wrong on purpose: it is refused, cut off, left without an
answer, or its answer is lost. <a href="/sim/telegram">Show new messages</a></p>
${[...new Set(rows.map(({ to }) => to))].map(personForms).join('')}
<table>
<thead><tr><th scope="col">Time (UTC)</th><th scope="col">To</th><th scope="col">Outcome</th><th scope="col">Message</th></tr></thead>
<tbody>${rows.map(line).join('\n')}</tbody>
</table>
</html>
`

const personForms = (name: string) => `<form method="post" action="/sim/telegram/block">
<input type="hidden" name="username" value="${escaped(name)}"><button>Block the bot as @${escaped(name)}</button></form>
`

const line = ({ at, to, outcome, text: html }: Row) =>
  `<tr><td>${at}</td><td>@${escaped(to)}</td><td>${escaped(meanings[outcome] ?? outcome)}</td><td>${escaped(plain(html))}</td></tr>`

/** The text of Telegram's HTML. */
const plain = (html: string): string =>
  html
    .replaceAll(/<\/?\w+[^<>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')

const escaped = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Chats } from './chats.ts'

type Visit = {
  request: IncomingMessage
  response: ServerResponse
  pathname: string
  searchParams: URLSearchParams
  /** The user name of the bot. */
  username: string
  chats: Omit<Chats, 'send'>
}

/**
 * The page of a deep link, `/<bot>?start=<token>`, and `POST /sim/telegram` with the fields `username` and `start`: it
 * sends `/start <token>` as that person, and shows the messages that the person has received.
 */
export async function startPage({ request, response, pathname, searchParams, username, chats }: Visit): Promise<void> {
  const isPress = request.method === 'POST' && pathname === '/sim/telegram'
  if (!isPress && pathname !== `/${username}`) {
    response.writeHead(404).end()
    return
  }
  const fields = isPress ? new URLSearchParams(await text(request)) : searchParams
  const name = fields.get('username') ?? ''
  const token = fields.get('start') ?? ''
  const messages = isPress ? await press(chats, name.replace(/^@/, ''), token) : []
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' })
  response.end(page(username, { name, token, messages }))
}

/** Presses Start as a person, and waits a moment for the answer. */
async function press(chats: Visit['chats'], name: string, token: string): Promise<string[]> {
  const person = chats.personOf(name)
  const received = () => chats.sent().filter(({ chat_id }) => chat_id === person.id)
  const before = received().length
  chats.say(person, `/start ${token}`.trim())
  for (let n = 0; n < 100 && received().length === before; n++) await sleep(50)
  return received().map((message) => message.text)
}

const escaped = (raw: string): string => raw.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

const page = (username: string, { name, token, messages }: { name: string; token: string; messages: string[] }) => `
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Simulated Telegram: @${username}</title>
<h1>@${username}</h1>
<p>This page stands for Telegram. It sends /start to the bot as the person with this user name.</p>
<form method="post" action="/sim/telegram">
<label>Telegram user name <input name="username" value="${escaped(name)}" required></label>
<input type="hidden" name="start" value="${escaped(token)}">
<button>Start</button>
</form>
<ol>${messages.map((message) => `<li>${escaped(message)}</li>`).join('')}</ol>
</html>
`

import type { Clock } from '#time.ts'

import { descriptions, rejection, type Answer } from './faults.ts'
import type { Event } from './updates.ts'

/** A person with a Telegram account. Without a `username` the account has no user name. */
export type Person = { id: number; username?: string }

/** A message that the bot sent. */
export type Sent = { chat_id: number; text: string }

/**
 * A call of `sendMessage`. `outcome` is `delivered`, the text of a rejection, or the kind of a disturbance: the person
 * has the message if it is `delivered` or `lost`.
 */
export type Attempt = Sent & { outcome: string }

/** The chats with the bot, and the people in them. */
export type Chats = {
  /** A person writes to the bot, in their private chat or in a group. */
  say: (person: Person, text: string, group?: { id: number }) => void
  /** A person blocks the bot. */
  block: (person: Person) => void
  /** The person with a user name; the same for the same name. */
  personOf: (username: string) => Person
  /** The user name of the person in a chat, or the number of the chat. */
  nameOf: (chat_id: number) => string
  /** Every message that the bot sent. */
  sent: () => readonly Sent[]
  /** Adds a listener to the messages that the bot sends. */
  onSent: (listener: (message: Sent) => void) => void
  /** The Bot API's `sendMessage`. */
  send: (body: Record<string, unknown>) => Answer
}

const maxLength = 4_096
/** The tags of Telegram's HTML, and entities; any other `<` or `&` is an error. */
const html = /^(?:[^<&]|<\/?(?:b|i|u|s|code|pre|a)(?: href="[^"]*")?>|&(?:lt|gt|amp|quot);)*$/

export function createChats({ clock, push }: { clock: Clock; push: (event: Event) => void }): Chats {
  const people = new Map<string, Person>()
  const open = new Set<number>()
  const blocked = new Set<number>()
  const sent: Sent[] = []
  const listeners: ((message: Sent) => void)[] = []
  let n_messages = 0

  const from = ({ id, username }: Person) => ({
    id,
    is_bot: false,
    first_name: 'Person',
    ...(username && { username }),
  })
  const privateChat = (person: Person) => ({ ...from(person), type: 'private' })
  const date = (): number => Math.floor(clock() / 1_000_000)

  const say: Chats['say'] = (person, text, group) => {
    const chat = group ? { id: group.id, type: 'group', title: 'Group' } : privateChat(person)
    open.add(chat.id)
    if (!group) blocked.delete(person.id)
    const [command] = /^\/\w+(@\w+)?/.exec(text) ?? []
    const entities = command === undefined ? [] : [{ type: 'bot_command', offset: 0, length: command.length }]
    push({ message: { message_id: ++n_messages, date: date(), chat, from: from(person), text, entities } })
  }

  const block: Chats['block'] = (person) => {
    blocked.add(person.id)
    const user = { id: 1, is_bot: true, first_name: 'Tapeline' }
    const change = { old_chat_member: { status: 'member', user }, new_chat_member: { status: 'kicked', user } }
    push({ my_chat_member: { chat: privateChat(person), from: from(person), date: date(), ...change } })
  }

  const send: Chats['send'] = ({ chat_id, text, parse_mode }) => {
    if (typeof chat_id !== 'number' || !open.has(chat_id)) return rejection(400, descriptions.noChat)
    if (blocked.has(chat_id)) return rejection(403, descriptions.blocked)
    if (typeof text !== 'string' || text.trim() === '') return rejection(400, descriptions.empty)
    if (text.length > maxLength) return rejection(400, descriptions.tooLong)
    if (parse_mode === 'HTML' && !html.test(text)) return rejection(400, descriptions.entities)
    const message = { chat_id, text }
    sent.push(message)
    for (const listener of listeners) listener(message)
    return { ok: true, result: { message_id: ++n_messages, date: date(), chat: { id: chat_id }, text } }
  }

  const personOf: Chats['personOf'] = (username) => {
    const person = people.get(username.toLowerCase()) ?? { id: 1_000 + people.size, username }
    people.set(username.toLowerCase(), person)
    return person
  }

  const nameOf: Chats['nameOf'] = (chat_id) =>
    [...people.values()].find(({ id }) => id === chat_id)?.username ?? String(chat_id)

  return { say, block, personOf, nameOf, sent: () => sent, onSent: (listener) => void listeners.push(listener), send }
}

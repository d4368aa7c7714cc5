import { describe, expect, test } from 'vitest'

import { openConnection, type Connect, type StreamRequest } from '#ingest/http/connection.ts'
import { socketIo, socketIoEvent } from '#ingest/http/socket_io.ts'

const subscription = { name: 'subscribe', payload: { all: true } }
const { answer, ...request } = socketIo('/markets', [subscription])
const reply = (text: string) => answer?.(text)

describe('a connection to a namespace', () => {
  test('is made by a websocket alone', () => {
    expect(request).toEqual({ path: '/socket.io/', query: { EIO: 4, transport: 'websocket' }, heartbeat_s: 60 })
  })

  test('subscribes only once the server has accepted the namespace', () => {
    expect(reply('0{"sid":"a","pingInterval":25000}')).toEqual(['40/markets,'])
    expect(reply('40/markets,{"sid":"b"}')).toEqual(['42/markets,["subscribe",{"all":true}]'])
  })

  test('answers pings, with the text that they have', () => {
    expect(reply('2')).toEqual(['3'])
    expect(reply('2probe')).toEqual(['3probe'])
    expect(reply('6')).toEqual([])
    expect(reply('43/markets,1[]')).toEqual([])
  })

  test('ends where the server closes it, leaves the namespace or refuses it', () => {
    expect(['1', '41/markets,', '44/markets,{"message":"no"}'].map(reply)).toEqual(['end', 'end', 'end'])
    expect(reply('41/other,')).toBeNull()
  })

  test('passes events on, and what it does not know', () => {
    for (const text of ['42/markets,["a",{}]', '42["a"]', '45/markets,1-["a"]', 'hello', '']) {
      expect(reply(text)).toBeNull()
    }
  })
})

describe('an event', () => {
  const eventOf = (text: string) => socketIoEvent('/markets', text)

  test('has a name and its first argument', () => {
    expect(eventOf('42/markets,["a",{"b":[1,"c,d"]}]')).toEqual({ name: 'a', payload: { b: [1, 'c,d'] } })
    expect(eventOf('42/markets,["a"]')).toEqual({ name: 'a', payload: undefined })
    expect(eventOf('42/markets,17["a",1]')).toEqual({ name: 'a', payload: 1 })
    expect(eventOf('42["a",1]')).toEqual({ name: 'a', payload: 1 })
  })

  test('is of the namespace; other texts have none', () => {
    for (const text of ['42/other,["a",1]', '40/markets,{"sid":"a"}', '2', 'hello']) expect(eventOf(text)).toBeNull()
  })

  test('that does not parse throws', () => {
    expect(() => eventOf('42/markets,["a"')).toThrow('JSON')
    expect(() => eventOf('42/markets,[7]')).toThrow('expected string')
  })
})

describe('a connection with a protocol', () => {
  const open = (more: Partial<StreamRequest>) => {
    let now_ms = 0
    const sent: string[] = []
    let say = (_text: string): void => undefined
    const connect: Connect = (_url, { onMessage }) => {
      say = onMessage
      const nothing = (): void => undefined
      return { send: (text) => void sent.push(text), pause: nothing, resume: nothing, terminate: nothing }
    }
    const hosts = { h: { name: 'h', doc: '', url: 'ws://h', requestsPer10s: 1, concurrency: 1 } }
    const connection = openConnection({ hosts, connect, now_ms: () => now_ms }, { host: 'h', path: '', ...more })
    const pass = (ms: number): void => {
      now_ms += ms
    }
    return { connection, sent, say: (text: string) => say(text), pass }
  }

  test('sends its replies, and gives messages alone to the caller', () => {
    const { connection, sent, say, pass } = open({ ...request, ...(answer && { answer }) })
    for (const text of ['0{}', '40/markets,{}', '2', '42/markets,["a",1]']) say(text)
    expect(sent).toEqual(['40/markets,', '42/markets,["subscribe",{"all":true}]', '3'])
    expect(connection.take()).toEqual(['42/markets,["a",1]'])
    pass(1_000)
    say('2')
    // A ping is no message: the connection has been silent since the event.
    expect([connection.silentFor_ms(), connection.take()]).toEqual([1_000, []])
  })

  test('is closed without any text for the time of its heartbeat', () => {
    const { connection, say, pass } = open({ ...request, ...(answer && { answer }) })
    pass(60_000)
    expect(connection.isOpen()).toBe(true)
    say('2')
    pass(60_000)
    expect(connection.isOpen()).toBe(true)
    pass(1)
    expect(connection.isOpen()).toBe(false)
  })

  test('is closed where the protocol ends it', () => {
    const { connection, say } = open({ ...request, ...(answer && { answer }) })
    say('41/markets,')
    expect(connection.isOpen()).toBe(false)
  })
})

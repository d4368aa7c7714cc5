import fc from 'fast-check'
import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { listEvents } from '#accounts/audit.ts'
import { leaseOf } from '#accounts/messaging/lease.ts'
import {
  greetChat,
  openLink,
  redeemLink,
  removeMessaging,
  unlinkChat,
  type Chat,
} from '#accounts/messaging/messaging.ts'
import { messagingOf } from '#accounts/profile.ts'
import { describeStores, newAccount, noon } from '#test/accounts/stores.ts'

const minutes = (n: number): number => n * 60_000_000
const ann: Chat = { messenger: 'telegram', chat_id: '7000000001', username: 'ann_b' }
const eve: Chat = { messenger: 'telegram', chat_id: '7000000002', username: 'eve_b' }
const of = (name: string, linked: boolean) => ({ platform: 'telegram', handle: name, linked })

describeStores((stores) => {
  let place: string
  let accounts: Accounts
  let owner: string
  beforeEach(async () => {
    place = await stores.place()
    accounts = await stores.open(place)
    owner = await newAccount(accounts)
  })

  const open = async (handle = 'Ann_B', account_id = owner, now = noon): Promise<string> =>
    (await openLink(accounts, { account_id, messenger: 'telegram', handle, now })).token
  const redeem = (token: string, chat = ann, now = noon) => redeemLink(accounts, { token, chat, now })
  const unlink = (chat: Chat) => unlinkChat(accounts, { ...chat, now: noon })
  const remove = (account_id: string) => removeMessaging(accounts, { account_id, network: '', now: noon })
  const messaging = (account_id = owner) => messagingOf(accounts, account_id)

  test('a link of its user name links the chat once; the name is compared without case', async () => {
    expect(await messaging()).toBe(null)
    const { token, expires_at } = await openLink(accounts, {
      account_id: owner,
      messenger: 'telegram',
      handle: 'Ann_B',
      now: noon,
    })
    expect(token).toMatch(/^[\w-]{43}$/)
    expect(expires_at).toBe(noon + minutes(10))
    expect(await messaging()).toEqual(of('Ann_B', false))
    expect(await redeem(token)).toBe('linked')
    expect(await messaging()).toEqual(of('ann_b', true))
    expect(await redeem(token)).toBe('invalid')
    expect(await redeem(token, eve)).toBe('invalid')
  })

  test('the store has no token, only its hash', async () => {
    const token = await open()
    const rows = await accounts.selectFrom('messaging_links').selectAll().execute()
    expect(rows).toHaveLength(1)
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  test('an expired, replaced, unknown or cut link links nothing', async () => {
    const token = await open()
    expect(await redeem(token, ann, noon + minutes(10))).toBe('invalid')
    const [older, newer] = [await open(), await open()]
    expect(await redeem(older)).toBe('invalid')
    for (const other of ['', 'x', newer.slice(1), newer.toLowerCase(), `${newer} `, '\0', "' or 1=1 --"])
      expect(await redeem(other), JSON.stringify(other)).toBe('invalid')
    expect(await messaging()).toEqual(of('Ann_B', false))
    expect(await redeem(newer, ann, noon + minutes(10) - 1)).toBe('linked')
  })

  test('a link is useless to another person, and still works for its own', async () => {
    const token = await open()
    expect(await redeem(token, eve)).toBe('other_user')
    expect(await redeem(token, { ...ann, username: null })).toBe('other_user')
    expect(await messaging()).toEqual(of('Ann_B', false))
    expect(await redeem(token)).toBe('linked')
  })

  test('a chat that is linked to another account stays there until it is unlinked', async () => {
    const other = await newAccount(accounts)
    expect(await redeem(await open())).toBe('linked')
    const token = await open('ann_b', other)
    expect(await redeem(token)).toBe('taken')
    expect([await messaging(), await messaging(other)]).toEqual([of('ann_b', true), of('ann_b', false)])
    expect(await unlink(ann)).toBe(true)
    expect(await unlink(ann)).toBe(false)
    expect(await redeem(token)).toBe('linked')
    expect([await messaging(), await messaging(other)]).toEqual([of('ann_b', false), of('ann_b', true)])
  })

  test('a link and a chat are of one messenger; a chat of another may have the same id', async () => {
    const other = await newAccount(accounts)
    const twin: Chat = { ...ann, messenger: 'pager' }
    const token = await open()
    expect(await redeem(token, twin)).toBe('invalid')
    expect(await redeem(token)).toBe('linked')
    expect(await greetChat(accounts, twin)).toBe(false)
    const paged = { account_id: other, messenger: 'pager', handle: 'ann_b', now: noon }
    expect(await redeem((await openLink(accounts, paged)).token, twin)).toBe('linked')
    expect(await messaging(other)).toEqual({ platform: 'pager', handle: 'ann_b', linked: true })
    expect(await unlink(twin)).toBe(true)
    expect(await messaging()).toEqual(of('ann_b', true))
    await redeem(await open('ann_b', other), eve)
    expect(await unlink(twin)).toBe(false)
  })

  test('a new link of a linked account leaves its chat until it is opened, and then replaces it', async () => {
    await redeem(await open())
    const token = await open('eve_b')
    expect(await messaging()).toEqual(of('ann_b', true))
    expect(await redeem(token, eve)).toBe('linked')
    expect(await messaging()).toEqual(of('eve_b', true))
    expect(await greetChat(accounts, ann)).toBe(false)
  })

  test('a changed user name is a new label of the same chat', async () => {
    await redeem(await open())
    expect(await greetChat(accounts, { ...ann, username: 'ann_new' })).toBe(true)
    expect(await messaging()).toEqual(of('ann_new', true))
    expect(await greetChat(accounts, { ...ann, username: null })).toBe(true)
    expect(await messaging()).toEqual(of('ann_new', true))
    expect(await greetChat(accounts, { ...eve, username: 'ann_new' })).toBe(false)
  })

  test('a removed messaging account leaves no chat, name or open link', async () => {
    await redeem(await open())
    const token = await open()
    await remove(owner)
    expect(await messaging()).toBe(null)
    expect(await redeem(token)).toBe('invalid')
  })

  test('each change of a linked chat is an event of the audit, without a name, chat or token', async () => {
    const token = await open()
    await redeem(token, eve)
    await redeem(token)
    await unlink(ann)
    await unlink(ann)
    await redeem(await open())
    await remove(owner)
    await remove(owner)
    const events = await listEvents(accounts, { account_id: owner, most: 10 })
    expect(
      events
        .map(({ event }) => event)
        .filter((event) => event.startsWith('chat_'))
        .toSorted(),
    ).toEqual(['chat_linked', 'chat_linked', 'chat_unlinked', 'chat_unlinked'].toSorted())
    for (const secret of [token, 'ann_b', ann.chat_id]) expect(JSON.stringify(events)).not.toContain(secret)
  })

  test('of redemptions at once, one links', async () => {
    const token = await open()
    const results = await Promise.all(Array.from({ length: 20 }, () => redeem(token)))
    expect(results.toSorted()).toEqual([...Array(19).fill('invalid'), 'linked'])
  })

  test('whatever people and accounts do, a chat has at most one account, and only a fitting link links', async () => {
    const owners = [owner, await newAccount(accounts)]
    const chats = [ann, eve]
    const step = fc.record({
      kind: fc.constantFrom('open', 'redeem', 'stop', 'remove'),
      account: fc.nat(1),
      chat: fc.nat(1),
      name: fc.nat(1),
      token: fc.nat(5),
      wait: fc.constantFrom(0, 0, 0, 4),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        for (const account_id of owners) await remove(account_id)
        const links: { token: string; account: number; name: number; at: number }[] = []
        const model = { chatOf: new Map<number, number>(), open: new Map<number, string>() }
        let now = noon
        for (const { kind, account, chat, name, token, wait } of steps) {
          now += minutes(wait)
          const account_id = owners[account] ?? ''
          const person = chats[chat] ?? ann
          if (kind === 'open') {
            const opened = await open(chats[name]?.username ?? '', account_id, now)
            links.push({ token: opened, account, name, at: now })
            model.open.set(account, opened)
          } else if (kind === 'stop') {
            await unlink(person)
            for (const [one, of_] of model.chatOf) if (of_ === chat) model.chatOf.delete(one)
          } else if (kind === 'remove') {
            await remove(account_id)
            model.chatOf.delete(account)
            model.open.delete(account)
          } else {
            const link = links[token]
            const isOpen = link && model.open.get(link.account) === link.token && now < link.at + minutes(10)
            const holder = [...model.chatOf].find(([, of_]) => of_ === chat)?.[0]
            const isTaken = link && holder !== undefined && holder !== link.account
            const expected = !isOpen ? 'invalid' : link.name !== chat ? 'other_user' : isTaken ? 'taken' : 'linked'
            expect(await redeem(link?.token ?? 'none', person, now)).toBe(expected)
            if (link && expected === 'linked') {
              model.chatOf.set(link.account, chat)
              model.open.delete(link.account)
            }
          }
          for (const [n, id] of owners.entries())
            expect((await messaging(id))?.linked ?? false).toBe(model.chatOf.has(n))
        }
      }),
      { numRuns: 25 },
    )
  })

  test('one owner has a lease; another takes it when it is given up or its term has ended', async () => {
    const clock = { at: noon }
    const node = stores.name === 'PostgreSQL' ? await stores.open(place) : accounts
    const lease = (owner_: string, db = accounts) =>
      leaseOf(db, { name: 'bot', owner: owner_, term_us: minutes(1), now: () => clock.at })
    const [a, b] = [lease('a'), lease('b', node)]
    expect([await a.take(), await b.take(), await a.take()]).toEqual([true, false, true])
    await b.release()
    expect(await b.take()).toBe(false)
    await a.release()
    expect([await b.take(), await a.take()]).toEqual([true, false])
    clock.at += minutes(1)
    const taken = await Promise.all(
      Array.from({ length: 10 }, (_, n) => lease(`c${n}`, n % 2 ? node : accounts).take()),
    )
    expect(taken.filter(Boolean)).toHaveLength(1)
    // The owner has died, and the clock is set back.
    clock.at -= minutes(60)
    expect([await a.take(), await b.take()]).toEqual([true, false])
  })
})

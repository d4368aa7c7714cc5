import { beforeEach, expect, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { createAlert, deleteAlert, listAlerts } from '#accounts/alerts/alerts.ts'
import { listOpenAlerts, storeEvaluations, type OpenAlert } from '#accounts/alerts/firings.ts'
import { claimMessage, dueMessages, releaseClaim, removeMessage } from '#accounts/alerts/outbox.ts'
import { disableAccount, enableAccount, setTier } from '#accounts/people.ts'
import { describeStores, newAccount, noon } from '#test/accounts/stores.ts'

/** An evaluation that nothing ends early. */
const whole = { now: noon, goesOn: async () => true }
const armed = { is_armed: true, baseline: null, seen_at: 0 }

describeStores((stores) => {
  let place: string
  let accounts: Accounts
  let ann: string
  let bob: string
  const link = (account_id: string, chat_id: string | null, messenger = 'telegram') =>
    accounts
      .insertInto('messaging')
      .values({ account_id, messenger, handle: 'a_name', chat_id, linked_at: noon })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ messenger, chat_id }))
      .execute()
  beforeEach(async () => {
    place = await stores.place()
    accounts = await stores.open(place)
    ann = await newAccount(accounts)
    bob = await newAccount(accounts)
    await link(ann, '1')
    await link(bob, '2')
  })

  const chat = (chat_id: string, messenger = 'telegram') => ({ messenger, chat_id })
  const create = (account_id: string, { most = 50, in: of = accounts } = {}) =>
    of.transaction().execute((db) =>
      createAlert(db, {
        account_id,
        type: 'signal',
        entity: '*',
        address: null,
        threshold: {},
        state: armed,
        most,
        now: noon,
      }),
    )
  const remove = (account_id: string, id: string) =>
    accounts.transaction().execute((db) => deleteAlert(db, { account_id, id, now: noon }))
  /** A second node; the same one on SQLite, where two connections of one process would wait for each other for ever. */
  const otherNode = async () => (stores.name === 'PostgreSQL' ? stores.open(place) : accounts)
  const fired = (alert: OpenAlert, ...causes: string[]) => ({
    alert,
    state: { ...alert.state, seen_at: alert.state.seen_at + 1 },
    firings: causes.map((cause) => ({ cause, text: `${cause} of ${alert.id}` })),
  })
  const outbox = () => accounts.selectFrom('outbox').select(['account_id', 'position', 'text']).execute()
  const due = (messenger = 'telegram') => dueMessages(accounts, { messenger, now: noon, limit: 100 })
  const claim = (account_id: string, position: number, now = noon) =>
    claimMessage(accounts, { account_id, position }, { now, until: now + 90 })

  test('of 50 creations at once exactly as many succeed as the tier has, and an account without a chat has none', async () => {
    const node = await otherNode()
    const made = await Promise.all(
      Array.from({ length: 50 }, (_, n) => create(ann, { most: 7, in: n % 2 === 0 ? accounts : node })),
    )
    expect(made.filter((one) => one === 'limit')).toHaveLength(43)
    expect(await listAlerts(accounts, ann)).toHaveLength(7)
    await link(bob, null)
    expect(await create(bob)).toBe('unlinked')
  })

  test('an alert of another account is not listed, and its deletion changes nothing', async () => {
    const made = await create(ann)
    const id = typeof made === 'object' ? made.id : ''
    expect(await listAlerts(accounts, bob)).toEqual([])
    expect(await remove(bob, id)).toBe(false)
    expect(await listAlerts(accounts, ann)).toMatchObject([{ id, is_active: true }])
    expect(await remove(ann, id)).toBe(true)
    expect(await remove(ann, id)).toBe(false)
  })

  test('of two nodes that store the same evaluations at once, each cause fires once, and positions have no gap', async () => {
    for (const account_id of [ann, bob, ann, bob, ann]) await create(account_id)
    const open = await listOpenAlerts(accounts)
    const node = await otherNode()
    const evaluated = open.map((alert) => fired(alert, 'x', 'y'))
    await Promise.all([
      storeEvaluations(accounts, evaluated, whole),
      storeEvaluations(node, evaluated.toReversed(), whole),
    ])
    const rows = await outbox()
    expect(rows.map(({ text }) => text).toSorted()).toEqual(
      open.flatMap(({ id }) => [`x of ${id}`, `y of ${id}`]).toSorted(),
    )
    for (const [account_id, n] of [[ann, 6] as const, [bob, 4] as const])
      expect(
        rows.flatMap((row) => (row.account_id === account_id ? [row.position] : [])).toSorted((a, b) => a - b),
      ).toEqual(Array.from({ length: n }, (_, i) => i + 1))
  })

  test('an evaluation whose lease ends stops between two alerts, and another node stores the others once', async () => {
    const row = {
      account_id: ann,
      type: 'signal',
      entity: '*',
      address: null,
      threshold: '{}',
      created_at: noon,
    } as const
    const rows = Array.from({ length: 450 }, (_, n) => ({ ...row, id: `alert-${n}`, state: JSON.stringify(armed) }))
    await accounts.insertInto('alerts').values(rows).execute()
    const evaluated = (await listOpenAlerts(accounts)).map((alert) => fired(alert, 'x'))
    let n_renewed = 0
    const goesOn = async () => ++n_renewed < 2
    expect(await storeEvaluations(accounts, evaluated, { now: noon, goesOn })).toBe(false)
    const n_stored = (await outbox()).length
    expect(n_stored).toBeGreaterThan(0)
    expect(n_stored).toBeLessThan(rows.length)
    expect(await storeEvaluations(await otherNode(), evaluated, whole)).toBe(true)
    const stored = await outbox()
    expect(new Set(stored.map(({ text }) => text)).size).toBe(rows.length)
    expect(stored.map(({ position }) => position).toSorted((a, b) => a - b)).toEqual(rows.map((_, n) => n + 1))
  })

  test('an evaluation of a former state is dropped, and a cause that has fired fires no more', async () => {
    await create(ann)
    const [before] = await listOpenAlerts(accounts)
    if (before === undefined) throw new Error('an alert is expected')
    await storeEvaluations(accounts, [fired(before, 'x')], whole)
    await storeEvaluations(accounts, [fired(before, 'y')], whole)
    const [after] = await listOpenAlerts(accounts)
    expect(after?.state.seen_at).toBe(1)
    if (after) await storeEvaluations(accounts, [fired(after, 'x', 'z')], whole)
    expect((await outbox()).map(({ text }) => text[0])).toEqual(['x', 'z'])
    expect(await accounts.selectFrom('firings').select('position').orderBy('position').execute()).toEqual([
      { position: 1 },
      { position: 2 },
    ])
  })

  test('a message is due to one sender until it is removed or its claim ends, and later ones of its account wait', async () => {
    await create(ann)
    await create(bob)
    const open = await listOpenAlerts(accounts)
    await storeEvaluations(
      accounts,
      open.map((alert) => fired(alert, 'x', 'y')),
      whole,
    )
    expect((await due()).map(({ position }) => position)).toEqual([1, 1])
    const node = await otherNode()
    const claims = await Promise.all(
      [accounts, node, accounts, node].map((of) =>
        claimMessage(of, { account_id: ann, position: 1 }, { now: noon, until: noon + 90 }),
      ),
    )
    expect(claims.filter((one) => one !== null)).toEqual([{ chat: chat('1') }])
    expect((await due()).map(({ account_id }) => account_id)).toEqual([bob])
    expect(await claim(ann, 1, noon + 89)).toBeNull()
    expect(await claim(ann, 1, noon + 90)).toEqual({ chat: chat('1') })
    await removeMessage(accounts, { account_id: ann, position: 1 })
    expect((await due()).find(({ account_id }) => account_id === ann)?.position).toBe(2)
  })

  test('a message is due for the messenger of its account, also one that the account has changed since it was listed', async () => {
    await create(ann)
    const [alert] = await listOpenAlerts(accounts)
    if (alert) await storeEvaluations(accounts, [fired(alert, 'x')], whole)
    expect([await due('pager'), await due()]).toMatchObject([[], [{ account_id: ann }]])
    await link(ann, '7', 'pager')
    expect([await due('pager'), await due()]).toMatchObject([[{ account_id: ann }], []])
    expect(await claim(ann, 1)).toEqual({ chat: chat('7', 'pager') })
    await accounts.deleteFrom('messaging').where('account_id', '=', ann).execute()
    await releaseClaim(accounts, { account_id: ann, position: 1 }, { now: noon, until: noon + 90 })
    expect([await due('pager'), await due()]).toMatchObject([[{ account_id: ann }], [{ account_id: ann }]])
    expect(await claim(ann, 1)).toEqual({ chat: null })
  })

  test('a claim names the chat of now, and none of an account that may not receive messages', async () => {
    await create(ann)
    const [alert] = await listOpenAlerts(accounts)
    if (alert) await storeEvaluations(accounts, [fired(alert, 'x')], whole)
    let at = noon
    const chatNow = async () => (await claim(ann, 1, (at += 100)))?.chat
    expect(await chatNow()).toEqual(chat('1'))
    // The chat goes to another account.
    await link(ann, null)
    await link(bob, '1')
    expect(await chatNow()).toBeNull()
    await link(ann, '3')
    expect(await chatNow()).toEqual(chat('3'))
    await setTier(accounts, { account_id: ann, tier: 'free', now: noon })
    expect([await chatNow(), (await listOpenAlerts(accounts))[0]?.tier]).toEqual([null, 'free'])
    await setTier(accounts, { account_id: ann, tier: 'pro', now: noon })
    await disableAccount(accounts, { account_id: ann, now: noon })
    expect([await chatNow(), (await listOpenAlerts(accounts))[0]?.is_reachable]).toEqual([null, false])
    await enableAccount(accounts, { account_id: ann, now: noon })
    expect([await chatNow(), (await listOpenAlerts(accounts))[0]?.is_reachable]).toEqual([chat('3'), true])
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import { expect, onTestFinished, test } from 'vitest'

import type { Accounts } from '#accounts/accounts.ts'
import { listFollowed } from '#accounts/watchlists/followed.ts'
import { listWatchlists } from '#accounts/watchlists/watchlists.ts'
import { describeStores, newAccount } from '#test/accounts/stores.ts'
import { loader } from '#test/run/loader.ts'
import { sized } from '#test/run/sized.ts'

import { writeOnce } from './worker.ts'

const n_lists = sized(60, 150, 1_000)
const n_kills = sized(2, 3, 10)
const script = join(import.meta.dirname, 'worker.ts')

describeStores((stores) => {
  /** Writes in another process, which is killed after some answers. Returns the ids that it answered. */
  const writeAndKill = async (place: string, account_id: string, n_answers: number): Promise<string[]> => {
    const child = spawn(process.execPath, [...loader, script, place, account_id, String(n_lists)], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const exit = once(child, 'exit')
    const answered: string[] = []
    for await (const line of createInterface({ input: child.stdout })) {
      answered.push(line)
      if (answered.length >= n_answers) child.kill('SIGKILL')
    }
    await exit
    return answered
  }

  const names = async (accounts: Accounts, account_id: string) =>
    (await listWatchlists(accounts, account_id)).map(({ name }) => Number(name)).toSorted((a, b) => a - b)

  test(`${n_lists} writes of a process that is killed ${n_kills} times have their effect once, and none that was answered is lost`, async () => {
    const place = await stores.place()
    const accounts = await stores.open(place)
    const account_id = await newAccount(accounts)
    for (let kill = 1; kill <= n_kills; kill++) {
      const answered = await writeAndKill(place, account_id, Math.floor((n_lists * kill) / (n_kills + 1)))
      const stored = (await listWatchlists(accounts, account_id)).map(({ id }) => id)
      expect(new Set(stored)).toEqual(new Set([...stored, ...answered]))
      for (const [n, id] of answered.entries()) expect(await writeOnce(accounts, account_id, n)).toBe(id)
    }
    for (let n = 0; n < n_lists; n++) await writeOnce(accounts, account_id, n)
    expect(await names(accounts, account_id)).toEqual(Array.from({ length: n_lists }, (_, n) => n))
    expect(await listFollowed(accounts)).toHaveLength(n_lists)
  })
})

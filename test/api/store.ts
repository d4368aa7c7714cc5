import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { RawNode, type KyselyPlugin, type OperationNode } from 'kysely'
import pg from 'pg'

import { openAccounts, type Accounts } from '#accounts/accounts.ts'
import { serverUrl, storeOfProject } from '#test/run/projects.ts'
import type { Clock } from '#time.ts'

/** The store of one test or service. */
export type Store = {
  accounts: Accounts
  /** All that is stored, as text. */
  text: () => Promise<string>
  close: () => Promise<void>
}

/**
 * Opens a new store: an SQLite file in the folder; in the project `postgres` a database of its own, whose windows
 * follow the clock of the test.
 */
export const newStore = (home: string, now: Clock): Promise<Store> =>
  process.env[storeOfProject] === 'postgres' ? newDatabase(now) : newFile(home)

async function newFile(home: string): Promise<Store> {
  const path = join(home, 'accounts.db')
  const accounts = await openAccounts(path)
  const text = async () => (await Promise.all([path, `${path}-wal`].map((file) => readFile(file, 'latin1')))).join('\n')
  return { accounts, text, close: () => accounts.destroy() }
}

async function newDatabase(now: Clock): Promise<Store> {
  const server = process.env[serverUrl]
  if (server === undefined) throw new Error(`${serverUrl}: missing; expected the URL of the server of the run`)
  const name = `store_${randomUUID().replaceAll('-', '')}`
  const url = new URL(name, server).href
  await query(server, `create database ${name}`)
  const accounts = await openAccounts(url)
  const text = async () => {
    const tables = await query(url, `select tablename from pg_tables where schemaname = 'tapeline_accounts'`)
    const rows = tables.map(({ tablename }) => query(url, `select * from tapeline_accounts.${String(tablename)}`))
    return JSON.stringify(await Promise.all(rows))
  }
  const close = async () => {
    await accounts.destroy()
    await query(server, `drop database ${name} with (force)`)
  }
  return { accounts: accounts.withPlugin(clockOfDatabase(now)), text, close }
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/** Replaces the clock of the database, which no test can set. */
const clockOfDatabase = (now: Clock): KyselyPlugin => ({
  transformQuery: ({ node }) => (RawNode.is(node) ? atClock(node, `to_timestamp(${now() / 1_000_000})`) : node),
  transformResult: async ({ result }) => result,
})

const atClock = (node: RawNode, instant: string): RawNode => ({
  ...node,
  sqlFragments: node.sqlFragments.map((text) => text.replaceAll('clock_timestamp()', instant)),
  parameters: node.parameters.map((one: OperationNode) => (RawNode.is(one) ? atClock(one, instant) : one)),
})

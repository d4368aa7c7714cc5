import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { describe, expect, test } from 'vitest'

import { messengerIds } from '#api/messaging/messengers.ts'
import { platforms } from '#registry/platforms/index.ts'
import { venues } from '#registry/venues/index.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** The folders of the product. Tests, tools, measurements and examples may name what they are about. */
const rooms =
  'accounts activities api bin builder engine ingest lake registry scoring signals sim snapshots sources storage text validation web workflows config.ts time.ts'.split(
    ' ',
  )

/** A name that code may use only in places of its own. */
type Name = { pattern: RegExp; places: RegExp }

const venueNames = venues.map(({ id }): Name => ({
  pattern: new RegExp(id, 'i'),
  places: new RegExp(
    `^(registry/venues/(${id}|index)\\.ts|sources/markets/(${id}/.*|index\\.ts)|sim/markets/(${id}_wire/.*|venues\\.ts))$`,
  ),
}))

/** The folders of platforms; the lists; the simulated platforms. */
const socialPlaces = /^(registry\/platforms\/\w+\.ts|sources\/social\/(\w+\/.*|index\.ts)|sim\/social\/.*)$/
/** Platforms whose names are words of other things too count as texts only. */
const ordinary = new Set(['news', 'telegram', 'x'])
/** Messengers: their files, the list, their bot in the demo, and the migration of rows that had no messenger. */
const messengerPlaces = (id: string) =>
  `^(api/messaging/(${id}|messengers)|bin/demo/${id}|accounts/migrations/0009_messengers)\\.ts$`

const platformNames = platforms.map(({ id }): Name => ({
  pattern: ordinary.has(id) ? new RegExp(`(['"\`])${id}\\1`) : new RegExp(id, 'i'),
  places: messengerIds.includes(id) ? new RegExp(`${socialPlaces.source}|${messengerPlaces(id)}`) : socialPlaces,
}))

/** Fields of sign-in and methods of the Bot API have these ids of messengers too. */
const words = new Set(['email', 'webhook'])
const messengerNames = messengerIds
  .filter((id) => !words.has(id) && !platforms.some((platform) => platform.id === id))
  // `isLacking` has the name of one.
  .map((id): Name => ({ pattern: new RegExp(`\\b${id}\\b`, 'i'), places: new RegExp(messengerPlaces(id)) }))

const names = [...venueNames, ...platformNames, ...messengerNames]

/** The text of a file without its comments. */
const codeOf = (path: string, text: string): string =>
  path.endsWith('.sql')
    ? text.replaceAll(/--.*$/gm, '')
    : text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')

/** The lines of a file that name a venue or a platform outside its places. */
const violations = (path: string, text: string): string[] =>
  codeOf(path, text)
    .split('\n')
    .filter((line) => names.some(({ pattern, places }) => pattern.test(line) && !places.test(path)))
    .map((line) => `${path}: ${line.trim()}`)

describe('a planted name of a venue or platform', () => {
  test.each([
    ['api/chat/planted.ts', "const name = 'kalshi'"],
    ['api/endpoints/planted.ts', 'import { polymarketWallets } from "x"'],
    ['scoring/core/planted.sql', "where venue <> 'limitless'"],
    ['sources/markets/planted.ts', "const source = 'polymarket_trades'"],
    ['sources/markets/kalshi/planted.ts', "import { a } from '#sources/markets/polymarket/wire/types.ts'"],
    ['sim/server/planted.ts', "if (host === 'kalshi') return"],
    ['sim/markets/kalshi_wire/planted.ts', "import { iso } from '#sim/markets/polymarket_wire/text.ts'"],
    ['web/planted.tsx', "const hint = 'such as kalshi:KX'"],
    ['scoring/core/attention/planted.sql', "('reddit', 0.20)"],
    ['sources/social/planted.ts', "const platform = 'x'"],
    ['bin/demo/planted.ts', "part: 'news'"],
    ['signals/planted.ts', "platform === 'telegram'"],
    ['accounts/planted.ts', "messenger: 'telegram'"],
    ['api/messaging/planted.ts', "if (messenger.id === 'telegram') return"],
    ['api/endpoints/planted.ts', "platform: 'telegram'"],
  ])('in %s is found', (path, line) => {
    expect(violations(path, `/** A file. */\nconst a = 1\n${line}\n`)).toEqual([`${path}: ${line}`])
  })

  test.each([
    ['registry/venues/kalshi.ts', "id: 'kalshi'"],
    ['sources/markets/kalshi/wire/types.ts', "const source = 'kalshi_trades'"],
    ['api/planted.ts', '// Such as Polymarket.'],
    ['scoring/planted.sql', "-- `core.holders('polymarket:0x…')`"],
    ['api/messaging/telegram.ts', "id: 'telegram'"],
    ['bin/planted.ts', 'const newsletter = x'],
  ])('in %s is in its place', (path, line) => {
    expect(violations(path, line)).toEqual([])
  })
})

test('no file of the product names a venue or a platform outside its places', async () => {
  const { stdout } = await promisify(execFile)(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '--', ...rooms],
    { cwd: root },
  )
  const paths = [...new Set(stdout.split('\n'))].filter((path) => /\.(ts|tsx|sql)$/.test(path))
  expect(paths.length).toBeGreaterThan(500)
  const found = await Promise.all(
    paths.map(async (path) => violations(path, await readFile(join(root, path), 'utf8').catch(() => ''))),
  )
  expect(found.flat()).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'

import { plant, type Lines, type Planted } from './plant.ts'

/** The line that the list of messengers needs: an import, and a name in the list. */
const lines: Lines = {
  'api/messaging/messengers.ts': [
    ['import { telegram }', "import { pager } from './pager.ts'\nimport { telegram }"],
    ['= [telegram,', '= [telegram, pager,'],
  ],
}

const messaging = z.object({ platform: z.string(), handle: z.string().nullable(), linked: z.boolean() })
const shape = z.object({
  setting: z.string(),
  offered: z.array(z.object({ id: z.string(), name: z.string(), bot: z.string().nullable() })),
  refused: z.object({ status: z.number(), message: z.string() }),
  unavailable: z.object({ status: z.number(), message: z.string() }),
  linking: z.string(),
  linked: messaging,
  answered: z.string(),
  market: z.string(),
  alert: z.array(z.string()),
  stopped: z.string(),
  unlinked: messaging,
  isActive: z.boolean(),
})

let planted: Planted
let seen: z.output<typeof shape>
beforeAll(async () => {
  planted = await plant(['messenger'], lines)
  seen = shape.parse(await planted.run('run_messenger.ts'))
}, 300_000)
afterAll(() => planted.remove())

test('a planted messenger, a file and a line of the list, has its setting, and is offered with its bot', () => {
  expect(seen.setting).toBe('PAGER_URL=x: invalid; expected an address such as http://localhost:1')
  expect(seen.offered[0]).toEqual({ id: 'pager', name: 'Pager', bot: 'pager_bot' })
  expect(seen.refused).toEqual({ status: 400, message: expect.stringContaining('expected a Pager name: 3 letters') })
  expect(seen.unavailable).toEqual({ status: 409, message: expect.stringContaining('no Telegram bot') })
})

test('links a chat of a person, and answers', () => {
  expect(seen.linking).toMatch(/^This chat is now linked to your Tapeline account/)
  expect(seen.linked).toEqual({ platform: 'pager', handle: '@ann.b', linked: true })
  expect(seen.answered).toMatch(/^This chat is linked/)
})

test('receives an alert in its own format, and nothing after /stop', () => {
  expect(seen.alert).toEqual([`**market: ${seen.market}**\nAlert: price_above 0.6\nNow: price 0.9, volume_24h 0`])
  expect(seen.stopped).toMatch(/^This chat is no longer linked/)
  expect(seen.unlinked).toEqual({ platform: 'pager', handle: '@ann.b', linked: false })
  expect(seen.isActive).toBe(false)
})

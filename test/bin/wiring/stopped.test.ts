import { spawn } from 'node:child_process'
import { once } from 'node:events'

import { expect, onTestFinished, test } from 'vitest'

/** Ends a command by a signal. Returns its exit code, the signal that ended it, and its log. */
async function ended(behaviour: 'ends' | 'hangs', signal: NodeJS.Signals) {
  const child = spawn(process.execPath, ['--import', 'tsx', 'test/bin/wiring/worker.ts', behaviour], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let err = ''
  child.stderr.on('data', (data: Buffer) => (err += data.toString()))
  const end = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  await once(child.stdout, 'data')
  child.kill(signal)
  return { end, child, err: () => err }
}

test('a command that does not end after SIGTERM is killed, and says so in a line of JSON', async () => {
  const { end, err } = await ended('hangs', 'SIGTERM')
  expect(await end).toEqual([null, 'SIGKILL'])
  expect(JSON.parse(err())).toMatchObject({ level: 40, msg: expect.stringMatching(/^not ended 9 s after SIGTERM/) })
})

test('a command that ends is not killed, and ^C waits for its end', async () => {
  const sound = await ended('ends', 'SIGTERM')
  expect([await sound.end, sound.err()]).toEqual([[0, null], ''])
  const hanging = await ended('hangs', 'SIGINT')
  await new Promise((resolve) => setTimeout(resolve, 9_500))
  expect([hanging.child.exitCode, hanging.child.signalCode]).toEqual([null, null])
})

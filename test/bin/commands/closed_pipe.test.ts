import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

import { expect, onTestFinished, test } from 'vitest'

import { newHome } from '#test/lake/fixture.ts'

/** Runs a command whose output nobody reads. Returns its exit code and its messages. */
async function unread(args: readonly string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['bin/tapeline.js', ...args], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  child.stdout.destroy()
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')])
  return { said, code: code as number | null, signal: signal as string | null }
}

test('a command whose reader has ended goes on without output', async () => {
  expect(await unread(['chains'])).toEqual({ said: '', code: 0, signal: null })
})

test('a service whose reader has ended stops as at ^C', async () => {
  const { code, signal, said } = await unread(['serve', '--port', '0'], { TAPELINE_HOME: await newHome() })
  expect({ code, signal }).toEqual({ code: 0, signal: null })
  expect(said).not.toContain('EPIPE')
})

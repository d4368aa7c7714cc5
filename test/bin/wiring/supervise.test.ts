import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { supervise } from '#bin/wiring/supervise.ts'
import { eventually } from '#test/run/eventually.ts'

/** A script that notes its process in a file, one a line, and then does what the test says. */
async function scriptOf(work: string) {
  const folder = await mkdtemp(join(tmpdir(), 'tapeline-supervise-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const [script, list] = [join(folder, 'script.mjs'), join(folder, 'pids')]
  await writeFile(list, '')
  await writeFile(
    script,
    `import { appendFileSync } from 'node:fs'\nappendFileSync(${JSON.stringify(list)}, process.pid + '\\n')\n${work}\n`,
  )
  const pids = async (): Promise<number[]> => (await readFile(list, 'utf8')).split('\n').filter(Boolean).map(Number)
  return { args: [script], pids }
}

const endless = 'setInterval(() => undefined, 1_000)'

function stopper() {
  let stop = (): void => undefined
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  return { stop: () => stop(), stopped }
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

test('what is killed starts again, and all end at the stop', async () => {
  const [first, second] = [await scriptOf(endless), await scriptOf(endless)]
  const { stop, stopped } = stopper()
  const ended = supervise(
    [
      { name: 'first', ...first },
      { name: 'second', ...second },
    ],
    stopped,
  )
  await eventually(async () =>
    expect([await first.pids(), await second.pids()]).toEqual([[expect.any(Number)], [expect.any(Number)]]),
  )
  for (let n = 1; n <= 2; n += 1) {
    process.kill((await first.pids()).at(-1) ?? 0, 'SIGKILL')
    await eventually(async () => expect(await first.pids()).toHaveLength(n + 1))
  }
  expect(await second.pids()).toHaveLength(1)
  stop()
  expect(await ended).toBe(0)
  expect([...(await first.pids()), ...(await second.pids())].filter(isAlive)).toEqual([])
})

test('an invalid command ends all, and so does one that never begins; the exit code is theirs', async () => {
  for (const [work, code, starts] of [
    ['process.exitCode = 2', 2, 1],
    ['process.exitCode = 1', 1, 5],
  ] as const) {
    const [other, failing] = [await scriptOf(endless), await scriptOf(work)]
    const children = [
      { name: 'other', ...other },
      { name: 'failing', ...failing },
    ]
    expect(await supervise(children, new Promise(() => undefined))).toBe(code)
    expect(await failing.pids()).toHaveLength(starts)
    expect((await other.pids()).filter(isAlive)).toEqual([])
  }
})

test('a command that ends without an error starts again, and a stop ends the pause', async () => {
  const script = await scriptOf('')
  const { stop, stopped } = stopper()
  const ended = supervise([{ name: 'short', ...script }], stopped)
  await eventually(async () => expect((await script.pids()).length).toBeGreaterThan(2))
  stop()
  expect(await ended).toBe(0)
})

test('a command with a priority has it, and one that ignores the stop is killed', async () => {
  const script = await scriptOf(`process.on('SIGTERM', () => undefined)\n${endless}`)
  const { stop, stopped } = stopper()
  const ended = supervise([{ name: 'stubborn', ...script, nice: 7 }], stopped)
  await eventually(async () => expect(await script.pids()).toHaveLength(1))
  const [pid = 0] = await script.pids()
  const { getPriority } = await import('node:os')
  expect(getPriority(pid)).toBe(7)
  stop()
  expect(await ended).toBe(0)
  expect(isAlive(pid)).toBe(false)
})

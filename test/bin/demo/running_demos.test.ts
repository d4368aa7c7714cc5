import { once } from 'node:events'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { expect, onTestFinished, test } from 'vitest'

import { lockDemo } from '#bin/demo/demo_lock.ts'
import { noteDemo, refuseSecondDemo } from '#bin/demo/running_demos.ts'
import { runMain } from '#test/bin/run_main.ts'
import { newHome } from '#test/lake/fixture.ts'

test('a demo does not delete the home of one that runs in it', async () => {
  const root = await newHome()
  const home = join(root, 'demo')
  await mkdir(home)
  await writeFile(join(home, 'catalog.sqlite'), 'of the first')
  const service = createServer((_request, response) => response.end('{}')).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`
  onTestFinished(await noteDemo({ home, url }))

  const { code, err } = await runMain(['demo', '--port', '0', '--once'], { TAPELINE_HOME: root })
  const expected = 'expected its end, or another TAPELINE_HOME'
  expect([code, err]).toEqual([1, `tapeline demo: ${home}: the demo at ${url} runs in it; ${expected}\n`])
  expect(await readdir(home)).toEqual(['catalog.sqlite'])
  await expect(refuseSecondDemo(join(root, 'other'))).resolves.toBeUndefined()

  // A demo that was killed leaves its note, and its number may be that of another process.
  service.closeAllConnections()
  await new Promise((resolve) => service.close(resolve))
  await expect(refuseSecondDemo(home)).resolves.toBeUndefined()
})

test('a demo does not delete the home of one that has just begun and listens nowhere yet', async () => {
  const root = await newHome()
  const home = join(root, 'demo')
  const unlock = await lockDemo(home)
  await mkdir(home)
  await writeFile(join(home, 'catalog.sqlite'), 'of the first')

  const { code, err } = await runMain(['demo', '--port', '0', '--once'], { TAPELINE_HOME: root })
  const expected = 'expected its end, or another TAPELINE_HOME'
  expect([code, err]).toEqual([1, `tapeline demo: ${home}: another demo begins in it; ${expected}\n`])
  expect(await readdir(home)).toEqual(['catalog.sqlite'])

  // The lock ends with its demo.
  await unlock()
  await (
    await lockDemo(home)
  )()
})

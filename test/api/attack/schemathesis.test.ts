import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { expect, test } from 'vitest'

import { endpoints } from '#api/endpoints/index.ts'
import { findSchemathesis } from '#scripts/schemathesis/find.ts'
import { sized } from '#test/run/sized.ts'

import { startServed } from './served.ts'

const run = promisify(execFile)
const schemathesis = await findSchemathesis()
if (schemathesis === undefined)
  console.warn('skipped: schemathesis is missing; npx tsx scripts/schemathesis.ts installs it')

/** Requests of an endpoint, at least. */
const n_examples = sized(20, 1_400)

/**
 * Valid requests may be refused: a checksum of an address or a cursor is not part of a JSON schema. Every other check
 * runs: no failure of the server, and only documented statuses, types, headers and bodies.
 */
const options = [
  '--checks',
  'all',
  '--exclude-checks',
  'positive_data_acceptance',
  '--continue-on-failure',
  '--no-color',
]

/** Without schemathesis (`npx tsx scripts/schemathesis.ts`) nothing can make the requests. */
test.skipIf(schemathesis === undefined)(
  `${n_examples} and more requests of each endpoint, valid and invalid, get documented answers`,
  async () => {
    const served = await startServed()
    const origin = `http://127.0.0.1:${served.port}`
    const sizes = ['--max-examples', String(n_examples), '--seed', '1']
    const header = ['--header', `Authorization: Bearer ${served.keys.enterprise}`]
    const args = ['run', `${origin}/openapi.json`, '--url', `${origin}/v1`, ...header, ...sizes, ...options]
    // It stores its examples in the folder in which it runs.
    const cwd = await mkdtemp(join(tmpdir(), 'tapeline-schemathesis-'))
    const { stdout } = await run(schemathesis ?? '', args, { cwd }).catch((error: unknown) => ({
      stdout: reportOf(error),
    }))
    await served.stop()
    await rm(cwd, { recursive: true })
    expect(stdout).toContain('No issues found')
    expect(stdout).toContain(`Tested: ${endpoints.length}`)
    const n_cases = Number(/([\d,]+) generated/.exec(stdout)?.[1]?.replaceAll(',', ''))
    expect(n_cases, stdout).toBeGreaterThanOrEqual(n_examples * endpoints.length)
  },
)

/** The report of a run that found issues. */
const reportOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : String(error)

import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
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

/** Requests of an endpoint, at most. An endpoint without parameters and body has fewer that differ. */
const n_examples = sized(20, 30, 150)
/** Requests of all endpoints, at least. */
const n_requests = sized(300, 400, 1_200)

const options = ['--checks', 'all', '--continue-on-failure', '--no-color']

/**
 * Statuses of requests that fit the schema. The state of the account, the size of a whole body, and a repeated key with
 * another body are in no schema. A 400 is missing: the schemas state all that a schema can state of a request, and the
 * hooks keep the few rules that none can.
 */
const accepting = ['2xx', 401, 403, 404, 409, 413, 422]
/** An invalid request may also be refused for its size. The tool's own list lacks that status. */
const refusing = [400, 401, 403, 404, 405, 406, 409, 413, 415, 422, 429]
const listOf = (statuses: readonly (string | number)[]) => JSON.stringify(statuses.map(String))
const settings = `hooks = ${JSON.stringify(join(import.meta.dirname, 'schemathesis_hooks.py'))}
[checks]
positive_data_acceptance.expected-statuses = ${listOf(accepting)}
negative_data_rejection.expected-statuses = ${listOf(refusing)}
`

/** Without schemathesis (`npx tsx scripts/schemathesis.ts`) nothing can make the requests. */
test.skipIf(schemathesis === undefined)(
  `${n_requests} and more requests, valid and invalid, get documented answers`,
  async () => {
    const served = await startServed()
    const origin = `http://127.0.0.1:${served.port}`
    const sizes = ['--max-examples', String(n_examples), '--seed', '1']
    const header = ['--header', `Authorization: Bearer ${served.keys.enterprise}`]
    const args = ['run', `${origin}/openapi.json`, '--url', `${origin}/v1`, ...header, ...sizes, ...options]
    const env = { ...process.env, TAPELINE_KEY: served.keys.enterprise }
    // Schemathesis stores its examples in its working folder.
    const cwd = await mkdtemp(join(tmpdir(), 'tapeline-schemathesis-'))
    await writeFile(join(cwd, 'schemathesis.toml'), settings)
    const { stdout } = await run(schemathesis ?? '', args, { cwd, env }).catch((error: unknown) => ({
      stdout: reportOf(error),
    }))
    await served.stop()
    await rm(cwd, { recursive: true })
    // A warning is no issue: ids of watchlists are made up, so that most deletions find none.
    for (const heading of [' FAILURES ', ' ERRORS ']) expect(stdout).not.toContain(heading)
    expect(stdout).toContain(`Tested: ${endpoints.length}`)
    const [, generated, passed] = /([\d,]+) generated, ([\d,]+) passed/.exec(stdout) ?? []
    expect(passed, stdout).toBe(generated)
    expect(Number(generated?.replaceAll(',', '')), stdout).toBeGreaterThanOrEqual(n_requests)
  },
)

/** The report of a run that found issues. */
const reportOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'stdout' in error ? String(error.stdout) : String(error)

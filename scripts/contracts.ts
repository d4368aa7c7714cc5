import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { z } from 'zod'

/** The compiler, by the version in the sources. It is no dependency, since only this script runs it. */
const compiler = 'solc@0.8.30'
const folder = join(import.meta.dirname, '..', 'sim', 'evm', 'contracts')

const outputShape = z.object({
  errors: z.array(z.object({ severity: z.string(), formattedMessage: z.string() })).default([]),
  contracts: z
    .record(
      z.string(),
      z.record(
        z.string(),
        z.object({ abi: z.array(z.unknown()), evm: z.object({ bytecode: z.object({ object: z.string() }) }) }),
      ),
    )
    .default({}),
})

/**
 * `npx tsx scripts/contracts.ts`: compiles the contracts of the simulated chain, `sim/evm/contracts/solidity`, into
 * `compiled.json` beside them: the ABI and bytecode of each, and the digest of the sources, which a test compares.
 */
async function compile(): Promise<void> {
  const names = (await readdir(join(folder, 'solidity'))).toSorted()
  const sources = await Promise.all(
    names.map(async (name) => ({ name, content: await readFile(join(folder, 'solidity', name), 'utf8') })),
  )
  const input = {
    language: 'Solidity',
    sources: Object.fromEntries(sources.map(({ name, content }) => [name, { content }])),
    settings: {
      evmVersion: 'cancun',
      optimizer: { enabled: true, runs: 200 },
      // Without the digest of metadata the bytecode depends on the code alone.
      metadata: { bytecodeHash: 'none', appendCBOR: false },
      outputSelection: { '*': { '*': ['abi', 'evm.bytecode.object'] } },
    },
  }
  const { errors, contracts } = outputShape.parse(JSON.parse(await run(JSON.stringify(input))))
  const failures = errors.filter(({ severity }) => severity === 'error')
  if (failures.length > 0) throw new Error(failures.map(({ formattedMessage }) => formattedMessage).join('\n'))
  const compiled = Object.values(contracts)
    .flatMap((file) => Object.entries(file))
    .filter(([, { evm }]) => evm.bytecode.object !== '')
    .map(([name, { abi, evm }]) => [name, { abi, bytecode: `0x${evm.bytecode.object}` }] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
  const digest = createHash('sha256')
    .update(sources.map(({ content }) => content).join(''))
    .digest('hex')
  const text = JSON.stringify({ compiler, digest, contracts: Object.fromEntries(compiled) })
  await writeFile(join(folder, 'compiled.json'), `${text}\n`)
  console.log(`${compiled.length} contracts, compiled by ${compiler}`)
}

/** Runs the compiler on its standard input, in a folder of its own. */
async function run(input: string): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'tapeline-contracts-'))
  try {
    const child = promisify(execFile)('npx', ['-y', '-p', compiler, 'solcjs', '--standard-json'], {
      cwd: scratch,
      maxBuffer: 64 * 1024 * 1024,
    })
    child.child.stdin?.end(input)
    const { stdout } = await child
    return stdout.slice(stdout.indexOf('{'))
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

await compile()

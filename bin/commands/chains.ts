import { defineCommand } from '#bin/command_line/command.ts'
import { UsageError } from '#bin/command_line/values.ts'
import { describeEndpoint, summarizeEndpoints, type ProbedEndpoint } from '#bin/report/endpoint.ts'
import { count, standardError } from '#bin/report/progress.ts'
import type { ConfiguredHost } from '#ingest/http/host.ts'
import { createHttp } from '#ingest/http/http.ts'
import type { Chain } from '#registry/chains/chain.ts'
import { findChain, UnknownChain } from '#registry/chains/find_chain.ts'
import { chains as registry } from '#registry/chains/registry.ts'
import { createRpcMemory } from '#sources/evm/rpc/endpoint_state.ts'
import { endpointsOf, type RpcSettings } from '#sources/evm/rpc/endpoints.ts'
import { createNode } from '#sources/evm/rpc/node.ts'
import { probeEndpoint } from '#sources/evm/rpc/probe_endpoint.ts'
import { machineTimers } from '#time.ts'

/** Providers that are probed at once. The endpoints of one provider share its rate, so they are probed in turn. */
const concurrency = 16
/** A request of a probe is sent once. */
const limits = { attempts: 1, timeout_ms: 10_000, body_bytes: 16 * 1024 * 1024 }
const deadline_ms = 60_000

/** `tapeline chains`: lists the registry; with `--probe`, the abilities of each endpoint. It stores nothing. */
export const chains = defineCommand({
  summary: 'List the chains, or test their endpoints.',
  define: (command) =>
    command
      .option('--probe', 'Ask each endpoint what it can do.')
      .option('--chain <chain>', 'Only this chain: its slug, its id or its name in viem.', chainOf)
      .option('--json', 'Write JSON, an object a line.'),
  run: async ({ probe = false, chain, json = false }, config) => {
    const listed = chain === undefined ? registry : [chain]
    const write = (text: string): void => void process.stdout.write(`${text}\n`)
    if (!probe) {
      write(
        listed
          .map((listedChain) => (json ? JSON.stringify(listedChain) : describeChain(listedChain, config)))
          .join('\n'),
      )
      return 0
    }
    const evm = listed.filter(({ kind }) => kind === 'evm')
    if (evm.length === 0) throw new UsageError('--probe: not an EVM chain; expected one, since only these are probed')
    const reports: ProbedEndpoint[] = []
    const targets = evm.flatMap((listedChain) =>
      endpointsOf(listedChain, config).map((host) => ({ chain: listedChain, host })),
    )
    await probeAll(targets, (report) => {
      reports.push(report)
      write(json ? JSON.stringify(report) : describeEndpoint(report))
      if (standardError.isTerminal && !process.stdout.isTTY)
        standardError.write(`\r${count(reports.length)} of ${count(targets.length)} endpoints`)
    })
    standardError.write(`${summarizeEndpoints(reports)}\n`)
    return reports.some(({ verdict }) => verdict === 'alive') ? 0 : 1
  },
})

type Target = { chain: Chain; host: ConfiguredHost }

async function probeAll(targets: readonly Target[], onReport: (report: ProbedEndpoint) => void): Promise<void> {
  const hosts = Object.fromEntries(targets.map(({ host }) => [host.name, host]))
  const http = createHttp({ hosts, random: Math.random, limits, ...machineTimers })
  const memory = createRpcMemory(machineTimers)
  const byProvider = new Map<string, Target[]>()
  for (const target of targets) {
    const { provider = target.host.name } = target.host
    byProvider.set(provider, [...(byProvider.get(provider) ?? []), target])
  }
  const waiting = [...byProvider.values()]
  const work = async (): Promise<void> => {
    for (let group = waiting.shift(); group !== undefined; group = waiting.shift()) {
      for (const { chain, host } of group) {
        const node = createNode(host.name, memory.stateOf(host.name), (request, shape) => http(request, shape))
        const report = await probeEndpoint(node, chain, machineTimers, deadline_ms)
        onReport({ chain: chain.slug, endpoint: host.name, host: new URL(host.url).host, ...report })
      }
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
}

const describeChain = (chain: Chain, settings: RpcSettings): string => {
  const hosts = chain.kind === 'evm' ? endpointsOf(chain, settings).map(({ url }) => url) : chain.urls
  const names = hosts.map((url) => new URL(url).host)
  return [chain.slug.padEnd(26), String(chain.id ?? '').padStart(17), ` ${chain.name.padEnd(32)}`, names.join(', ')]
    .join(' ')
    .trimEnd()
}

function chainOf(text: string): Chain {
  try {
    return findChain(text)
  } catch (error) {
    if (error instanceof UnknownChain) throw new UsageError(`--chain: ${error.message}`)
    throw error
  }
}

import type { SimulatedWorld } from '#bin/wiring/simulated_hosts.ts'
import { chainName } from '#test/ingest/planted/planted_logs.ts'
import { serveFake, type FakeUpstream } from '#test/ingest/planted/requests/fake_upstream.ts'
import { serveChains, type RpcServer } from '#test/ingest/planted/rpc_server.ts'
import { serveStream, type StreamServer } from '#test/ingest/planted/stream_server.ts'
import { tinyHost } from '#test/ingest/tiny.ts'
import { noon } from '#test/lake/fixture.ts'

export type PlantedServers = {
  rpc: RpcServer
  stream: StreamServer
  requests: FakeUpstream
  /** All of them as one world. */
  upstream: SimulatedWorld
  close: () => Promise<void>
}

/** Starts a server for each kind of planted source. */
export async function servePlanted({
  n_chains,
  n_blocks,
}: {
  n_chains: number
  n_blocks: number
}): Promise<PlantedServers> {
  const rpc = await serveChains({ n_chains, n_blocks })
  const stream = await serveStream(noon)
  const requests = await serveFake()
  const chains = Array.from({ length: n_chains }, (_, n) => [chainName(n), `${rpc.url}/${n}`])
  const hosts = { ...requests.hosts, [tinyHost.name]: stream.url, ...Object.fromEntries(chains) }
  return {
    rpc,
    stream,
    requests,
    upstream: { worldName: requests.worldName, hosts },
    close: async () => {
      await Promise.all([rpc.close(), stream.close(), requests.close()])
    },
  }
}

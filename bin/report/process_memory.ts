import { Gauge, type Registry } from 'prom-client'

/** Registers the resident memory of this process, by the name of its command. */
export function exposeMemory(registry: Registry, name: string): void {
  const memory: Gauge = new Gauge({
    name: 'tapeline_process_memory_bytes',
    help: 'Resident memory of each process of the home',
    labelNames: ['process'],
    registers: [registry],
    collect: () => memory.set({ process: name }, process.memoryUsage.rss()),
  })
}

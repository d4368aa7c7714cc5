import type { Engine, Queue } from '#engine/engine.ts'

import { standardError, type Output } from './progress.ts'

const every_ms = 10_000

/**
 * Reports that no worker serves the queue of a server, since its runs wait without an error, and that one serves it
 * again. Returns the function that ends the watch; a question in flight would outlive the connection.
 */
export function watchWorkers(
  engine: Pick<Engine, 'unservedQueue'>,
  served: Queue,
  { output = standardError, pause_ms = every_ms }: { output?: Pick<Output, 'write'>; pause_ms?: number } = {},
): () => Promise<void> {
  let before: string | null = null
  let hasEnded = false
  const look = async (): Promise<void> => {
    if (hasEnded) return
    // A server that does not respond is reported by the run itself.
    const queue = await engine.unservedQueue(served).catch(() => before)
    if (hasEnded || queue === before) return
    output.write(
      queue === null
        ? `task queue ${before}: a worker serves it again\n`
        : `task queue ${queue}: no worker serves it, and its runs wait; expected \`tapeline worker\` with the same home\n`,
    )
    before = queue
  }
  let looking = look()
  const timer = setInterval(() => {
    looking = looking.then(look)
  }, pause_ms)
  return async () => {
    hasEnded = true
    clearInterval(timer)
    await looking
  }
}

/** Watches the workers while the work of a command waits for them. */
export async function besideWorkers<T>(
  engine: Pick<Engine, 'unservedQueue'>,
  served: Queue,
  work: () => Promise<T>,
): Promise<T> {
  const end = watchWorkers(engine, served)
  try {
    return await work()
  } finally {
    await end()
  }
}

/**
 * Resolves at ^C or SIGTERM. A supervised process also stops when its standard input ends, since its supervisor is
 * gone.
 */
export const untilStopped = ({ isSupervised = false } = {}): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
    if (!isSupervised) return
    process.stdin.once('end', resolve).once('error', resolve).resume()
    // It does not keep the process.
    process.stdin.unref()
  })

/** The option of commands that a supervisor starts, and its description. */
export const supervised = ['--supervised', 'Show no progress, and end when the standard input ends.'] as const

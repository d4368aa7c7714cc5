import type { CommandDescription } from '#bin/command_line/command.ts'

/** The commands by name, in the order in which help shows them. */
const commands: Readonly<Record<string, () => Promise<CommandDescription>>> = {
  demo: async () => (await import('./demo.ts')).demo,
  start: async () => (await import('./start.ts')).start,
  follow: async () => (await import('./follow.ts')).follow,
  publish: async () => (await import('./publish.ts')).publish,
  worker: async () => (await import('./worker.ts')).worker,
  serve: async () => (await import('./serve.ts')).serve,
  backfill: async () => (await import('./backfill.ts')).backfill,
  score: async () => (await import('./scores/score.ts')).score,
  validate: async () => (await import('./validate.ts')).validate,
  export: async () => (await import('./scores/export.ts')).exportFile,
  status: async () => (await import('./status.ts')).status,
  signal: async () => (await import('./signal.ts')).signal,
  maintain: async () => (await import('./lake/maintain.ts')).maintain,
  verify: async () => (await import('./lake/verify.ts')).verify,
  backup: async () => (await import('./lake/backup.ts')).backup,
  restore: async () => (await import('./lake/restore.ts')).restore,
  repair: async () => (await import('./lake/repair.ts')).repair,
  chains: async () => (await import('./chains.ts')).chains,
  probe: async () => (await import('./probe.ts')).probe,
  reparse: async () => (await import('./lake/reparse.ts')).reparse,
  undo: async () => (await import('./lake/undo.ts')).undo,
  account: async () => (await import('./account.ts')).account,
  key: async () => (await import('./key.ts')).key,
  ask: async () => (await import('./ask.ts')).ask,
}

/**
 * The command of a name alone, since each loads modules that others do not need. Of any other word, such as `help`, all
 * commands.
 */
export async function loadCommands(word?: string): Promise<Readonly<Record<string, CommandDescription>>> {
  const names = Object.keys(commands)
  const wanted = names.includes(word ?? '') ? names.filter((name) => name === word) : names
  const loaded = wanted.map(async (name) => [name, await commands[name]?.()] as const)
  return Object.fromEntries(
    (await Promise.all(loaded)).flatMap(([name, description]) => (description ? [[name, description]] : [])),
  )
}

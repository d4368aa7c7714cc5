import { backupHome } from '#bin/backup/backup_home.ts'
import { restoreHome } from '#bin/backup/restore_home.ts'
import { parseConfig } from '#config.ts'
import { openLake } from '#lake/lake.ts'

/** `worker.ts backup|restore <home> <folder> <n>`: is killed after the n-th data file. */
const [command = '', home = '', folder = '', n = '0'] = process.argv.slice(2)
const kill = (n_files: number): void => void (n_files === Number(n) && process.kill(process.pid, 'SIGKILL'))
if (command === 'restore') await restoreHome(folder, parseConfig({ TAPELINE_HOME: home }), kill)
else
  await backupHome(await openLake(home, { threads: 1, memory: '256MB' }), { home, database: undefined }, folder, kill)

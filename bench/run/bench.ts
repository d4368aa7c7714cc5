import { spawn } from 'node:child_process'
import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** `npm run bench -- <name> [options]` runs `bench/<name>.ts` in a separate process; without a name it lists them. */
const folder = dirname(dirname(fileURLToPath(import.meta.url)))
const names = (await readdir(folder)).filter((file) => file.endsWith('.ts')).map((file) => file.slice(0, -3))
const [name, ...options] = process.argv.slice(2)

if (name === undefined) console.log(names.join('\n'))
else if (names.includes(name)) {
  const child = spawn(process.execPath, [...process.execArgv, join(folder, `${name}.ts`), ...options], {
    stdio: 'inherit',
  })
  child.on('exit', (code) => {
    process.exitCode = code ?? 1
  })
} else {
  console.error(`there is no benchmark ${name}; there are: ${names.join(', ')}`)
  process.exitCode = 1
}

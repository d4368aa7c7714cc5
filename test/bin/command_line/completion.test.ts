import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { describe, expect, test } from 'vitest'

import { completionScript } from '#bin/command_line/completion.ts'
import { createProgram } from '#bin/command_line/program.ts'
import { loadCommands } from '#bin/commands/index.ts'

const commands = await loadCommands()
const program = createProgram(commands, async () => undefined)
const run = promisify(execFile)

/** The candidates of bash for the last word of a line, by the function that the script registers. */
async function complete(...line: string[]): Promise<string[]> {
  const script = `${completionScript('bash', program)}
registered="$(complete -p tapeline)"
[[ "$registered" =~ -F\\ ([^ ]+)\\ tapeline$ ]] || exit 3
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
"\${BASH_REMATCH[1]}"
printf '%s\\n' "\${COMPREPLY[@]}"`
  const { stdout } = await run('bash', ['-u', '-c', script, 'bash', 'tapeline', ...line])
  return stdout.split('\n').filter((word) => word !== '')
}

describe('completion in bash', () => {
  test('gives the commands', async () => {
    expect(await complete('')).toEqual(expect.arrayContaining([...Object.keys(commands), 'help', '--version']))
    expect(await complete('s')).toEqual(['start', 'serve', 'score', 'status', 'signal'])
  })

  test('gives the options and the listed arguments of a command', async () => {
    expect(await complete('backfill', '--')).toEqual([
      '--from',
      '--to',
      '--part',
      '--refresh',
      '--accept-loss',
      '--dry-run',
      '--json',
      '--help',
    ])
    expect(await complete('backfill', '--from', '2026-01-01', 'polymarket_t')).toEqual(['polymarket_trades'])
    expect(await complete('signal', 'follow-odds', 'p')).toEqual(['pause'])
  })

  test('gives the commands of a command, and the values of an option', async () => {
    expect(await complete('key', '')).toEqual(['create', 'add', 'list', 'revoke', '--help'])
    expect(await complete('key', 'create', '--tier', '')).toEqual(['free', 'pro', 'enterprise'])
  })

  test('leaves a free value to the shell, which offers files', async () => {
    expect(await complete('validate', '--picture', '')).toEqual([])
  })
})

test('zsh runs the functions of bash', () => {
  const zsh = completionScript('zsh', program)
  expect(zsh).toMatch(/^autoload -U \+X compinit && compinit\nautoload -U \+X bashcompinit && bashcompinit\n/)
  expect(zsh).toContain(completionScript('bash', program))
})

test('fish gets a line for each command, option and listed value', () => {
  const lines = completionScript('fish', program).split('\n')
  expect(lines).toContainEqual(
    expect.stringMatching(/-n 'not __fish_seen_subcommand_from .*' -f -a backfill -d 'Read all/),
  )
  expect(lines).toContainEqual(
    "complete -c tapeline -n '__fish_seen_subcommand_from backfill' -l to -r -d 'The end of the interval; now by default.'",
  )
  expect(lines).toContainEqual(
    expect.stringMatching(/-n '.* key; and .* create' -l tier -r -f -a 'free pro enterprise' -d /),
  )
})

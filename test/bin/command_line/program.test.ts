import { describe, expect, onTestFinished, test, vi } from 'vitest'

import { createProgram, runProgram } from '#bin/command_line/program.ts'
import { loadCommands } from '#bin/commands/index.ts'
import manifest from '#package.json' with { type: 'json' }

/** Parses a command line without running its command, and gives what was written. */
async function parse(...args: string[]): Promise<{ output: string; isRun: boolean }> {
  const written: string[] = []
  const streams = [process.stdout, process.stderr] as const
  const spies = streams.map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  )
  const restore = (): void => {
    for (const spy of spies) spy.mockRestore()
  }
  onTestFinished(restore)
  let isRun = false
  const program = createProgram(await loadCommands(args[0]), async () => {
    isRun = true
  })
  try {
    await runProgram(program, args)
  } finally {
    restore()
  }
  return { output: written.join(''), isRun }
}

describe('help', () => {
  test('lists every command with its summary', async () => {
    const { output, isRun } = await parse('help')
    for (const name of [...Object.keys(await loadCommands()), 'completion', 'help'])
      expect(output).toMatch(`\n  ${name} `)
    expect(output).toContain('Instants are UTC')
    expect(isRun).toBe(false)
    expect((await parse('--help')).output).toBe(output)
  })

  test.each([[['help', 'backfill']], [['backfill', '--help']], [['backfill', '-h']]])(
    '%j shows the usage and the options of a command',
    async (args) => {
      const { output, isRun } = await parse(...args)
      expect(output).toContain('Usage: tapeline backfill [source...] --from <instant> [--to <instant>] [--part <key>]')
      expect(output).toMatch(/--to <instant> +The end of the interval; now by default\./)
      expect(isRun).toBe(false)
    },
  )

  test('shows a command of a command', async () => {
    const { output } = await parse('help', 'key', 'create')
    expect(output).toContain('Usage: tapeline key create --tier <tier>')
    expect(output).toContain('"free", "pro", "enterprise"')
  })

  test('names the sources of a backfill', async () => {
    const { output } = await parse('help', 'backfill')
    expect(output).toMatch(/Arguments:\n +source +The sources; all by default\. \(choices:\s+"polymarket_markets",/)
  })

  test('a usage without arguments ends with the name', async () => {
    expect((await parse('help', 'account', 'list')).output).toMatch(/^Usage: tapeline account list\n/)
  })

  test('the version is that of the package', async () => {
    expect((await parse('--version')).output).toBe(`${manifest.version}\n`)
  })
})

describe('a command line', () => {
  test('loads the command that it names alone', async () => {
    expect(Object.keys(await loadCommands('key'))).toEqual(['key'])
    expect(Object.keys(await loadCommands('keys'))).toEqual(Object.keys(await loadCommands()))
  })

  test.each([
    [['score', '--as-of', '2026-01-31']],
    [['backfill', '--from', '2026-01-31']],
    [['backfill', 'polymarket_trades', 'polymarket_odds', '--from=2026-01-31', '--dry-run']],
    [['signal', 'follow-odds', 'rate=5']],
    [['key', 'create', '--tier', 'pro']],
  ])('%j is run', async (args) => {
    expect((await parse(...args)).isRun).toBe(true)
  })

  test.each([
    [['backfil'], /^backfil: unknown command; expected demo, .* or help; did you mean backfill\?$/],
    [['help', 'scor'], /^scor: unknown command; expected demo, .* or help; did you mean score\?$/],
    [['key', 'creat'], /^creat: unknown command; expected create, add, list or revoke; did you mean create\?$/],
    [[], /^command: missing; expected demo, start, .* or help$/],
    [['key'], /^command: missing; expected create, add, list or revoke$/],
    [
      ['backfill', '--frm', '2026-01-31'],
      /^--frm: unknown option; expected --from, --to, --part, --refresh, --accept-loss, --dry-run, --json or --help; did you mean --from\?$/,
    ],
    [['account', 'list', '-x'], /^-x: unknown option; expected --help$/],
    [['backfill', '--dry-run'], /^--from: missing; expected --from <instant>$/],
    [['backfill', '--from'], /^--from: missing; expected --from <instant>$/],
    [['key', 'create'], /^--tier: missing; expected --tier <tier>$/],
    [['key', 'create', '--tier', 'gold'], /^--tier gold: unknown; expected free, pro or enterprise$/],
    [['reparse', 'sources'], /^source sources: unknown; expected one of \d+, such as \w+, \w+ or \w+$/],
    [
      ['reparse', 'poly'],
      /^source poly: unknown; expected one of \d+, such as polymarket_\w+, polymarket_\w+ or polymarket_\w+$/,
    ],
    [['backfill', 'polymarket_trade', '--from=2026-01-31'], /, such as polymarket_trades, /],
    [['backfill', 'kalshi_marktes', '--from=2026-01-31'], /, such as kalshi_markets, /],
    [['reparse'], /^<source>: missing; expected tapeline reparse <source> \[--json\]$/],
    [
      ['score', 'now'],
      /^now: too many arguments; expected tapeline score \[--as-of <instant>\] \[--lake-snapshot <n>\] \[--serve\] \[--json\]$/,
    ],
    [['score', '--as-of', 'now'], /^--as-of now: not an instant; expected UTC such as /],
    [['signal', 'follow-odds', 'stop'], /^signal stop: unknown; expected pause, resume, cancel, rate=N or rate=any$/],
    [['signal', 'follow-odds', 'rate=0'], /^rate 0: not in range; expected a whole number from 1 to 100000$/],
    [['serve', '--port', '65536'], /^--port 65536: not in range; expected a whole number from 0 to 65535$/],
  ])('%j is refused, and says what is expected', async (args, message) => {
    const refused = parse(...args)
    await expect(refused).rejects.toThrow(message)
    await expect(refused).rejects.toHaveProperty('name', 'UsageError')
  })
})

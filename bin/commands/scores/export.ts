import { resolve } from 'node:path'

import { defineCommand } from '#bin/command_line/command.ts'
import { asJson, count } from '#bin/report/progress.ts'
import { exportAnalystsFile } from '#builder/analysts/export.ts'
import { openFolder } from '#storage/folder.ts'

/** `tapeline export`: writes the analysts' file as one file that needs no other. It runs beside any service. */
export const exportFile = defineCommand({
  summary: "Write the analysts' file as one DuckDB file that needs no other, for DuckDB 1.0 and newer.",
  define: (command) =>
    command
      .argument('<file>', 'The file to write, such as tapeline-2026-01-31.duckdb.')
      .option('--force', 'Replace the file if it exists.')
      .option('--json', 'Write the result as JSON.'),
  run: async ({ force = false, json = false }, { home, threads, memory }, [file]) => {
    const exported = await exportAnalystsFile(openFolder(home), resolve(file), { force, threads, memory })
    if (json) {
      process.stdout.write(asJson({ file: resolve(file), ...exported }))
      return 0
    }
    const { n_tables, n_macros, bytes, as_of } = exported
    const size = (bytes / 1e6).toFixed(1)
    process.stdout.write(`${file}: ${count(n_tables)} tables, ${n_macros} macros, ${size} MB, as of ${as_of}\n`)
    return 0
  },
})

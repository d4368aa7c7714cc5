import { repositoryFiles } from './structure/files.ts'
import { findings } from './structure/findings.ts'

/**
 * `npm run structure`: lists import circles. The exit code is 1 on any violation.
 */
const root = process.argv[2] ?? process.cwd()
let n_findings = 0
for (const { rule, violations } of findings(await repositoryFiles(root))) {
  n_findings += violations.length
  process.stdout.write(`${rule}: ${violations.length === 0 ? 'none' : violations.length}\n`)
  for (const violation of violations) process.stdout.write(`  ${violation}\n`)
}
process.exitCode = n_findings > 0 ? 1 : 0

import { importCircles } from './circles.ts'

export type Finding = { rule: string; violations: string[] }

/** Every rule with its violations, one line each. `files` maps a path to its text. */
export function findings(files: Map<string, string>): Finding[] {
  return [{ rule: 'import circles, types included', violations: importCircles(files) }]
}

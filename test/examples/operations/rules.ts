import { readFile } from 'node:fs/promises'

import { parse } from 'yaml'
import { z } from 'zod'

import { evaluate } from './promql.ts'
import type { Scrape } from './scrape.ts'

const seconds = { s: 1, m: 60, h: 3_600 } as const
const duration = z
  .string()
  .regex(/^\d+[smh]$/)
  .transform((text) => Number(text.slice(0, -1)) * seconds[text.slice(-1) as keyof typeof seconds])

const ruleShape = z.strictObject({
  alert: z.string().regex(/^Tapeline[A-Z]\w+$/),
  expr: z.string(),
  for: duration.optional(),
  labels: z.strictObject({ severity: z.enum(['critical', 'warning']) }),
  annotations: z.strictObject({ summary: z.string() }),
})
const fileShape = z.strictObject({ groups: z.array(z.strictObject({ name: z.string(), rules: z.array(ruleShape) })) })

export type Rule = z.output<typeof ruleShape>

/** The alert rules of the examples, in the form that Prometheus reads. */
export async function alertRules(): Promise<Rule[]> {
  const text = await readFile('examples/operations/alerts.yml', 'utf8')
  return fileShape.parse(parse(text)).groups.flatMap(({ rules }) => rules)
}

/** The alerts that fire at the last scrape: each expression holds for some labels over the time of the rule. */
export function firing(rules: readonly Rule[], scrapes: readonly Scrape[]): string[] {
  const last_s = scrapes.at(-1)?.at_s ?? 0
  return rules
    .filter(({ expr, for: span_s = 0 }) => {
      // It has held for so long if it held at each scrape since the last one before that time.
      const begin = scrapes.findLastIndex(({ at_s }) => at_s <= last_s - span_s)
      const ends = scrapes.flatMap((_, n) => (begin !== -1 && n >= begin ? [n + 1] : []))
      const held = ends.map(
        (end) =>
          new Set(
            evaluate(expr, scrapes.slice(0, end)).map(({ labels: { __name__: _, ...labels } }) =>
              JSON.stringify(labels),
            ),
          ),
      )
      return [...(held[0] ?? [])].some((labels) => held.every((set) => set.has(labels)))
    })
    .map(({ alert }) => alert)
}

import { readFile } from 'node:fs/promises'

import { z } from 'zod'

import { intents } from '#api/chat/intents/index.ts'
import { planOf } from '#api/chat/route.ts'
import type { Service } from '#test/api/service.ts'

import { withEntities } from './entities.ts'

/** A question with its intent, the slots that differ from their defaults, and figures that a right answer contains. */
const questionShape = z.strictObject({
  question: z.string(),
  intent: z.string(),
  slots: z.record(z.string(), z.unknown()),
  numbers: z.array(z.number()),
})

export type Question = z.output<typeof questionShape>

/** The outcome of a question: whether intent and slots are right, and the expected figures that the answer lacks. */
export type Outcome = {
  question: Question
  answer: string
  plan: string
  isIntentRight: boolean
  isPlanRight: boolean
  /** Of a right plan only: another plan answers another question. */
  missingNumbers: number[]
}

/** Reads a file of questions. */
export async function readQuestions(name: string): Promise<Question[]> {
  const text = await readFile(new URL(`questions/${name}.jsonl`, import.meta.url), 'utf8')
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => questionShape.parse(JSON.parse(withEntities(line))))
}

const planShape = z.object({ intent: z.string(), slots: z.record(z.string(), z.unknown()) })

/** Asks a question as an enterprise account, over HTTP. */
export async function askQuestion(
  service: Service,
  question: Question,
  tier: 'pro' | 'enterprise' = 'enterprise',
): Promise<Outcome> {
  const { headers, json, status, text } = await service.ask('/v1/chat', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${service.keys[tier]}` },
    body: JSON.stringify({ query: question.question }),
  })
  if (status !== 200) throw new Error(`${question.question}: ${status} ${text}; expected 200`)
  const encoded = String(headers['x-chat-plan'])
  const plan = planShape.parse(JSON.parse(Buffer.from(encoded, 'base64url').toString()))
  const answer = String(json['answer'])
  const isPlanRight = canonical(plan) === canonical(expectedPlan(question))
  return {
    question,
    answer,
    plan: JSON.stringify(plan),
    isIntentRight: plan.intent === question.intent,
    isPlanRight,
    missingNumbers: isPlanRight ? question.numbers.filter((one) => !states(answer, one)) : [],
  }
}

/** The expected plan with the defaults of its slots. */
const expectedPlan = ({ intent, slots }: Question) => planOf(intents, intent, slots)

/** A plan as one text: the order of markets and assets of a list does not count. */
const canonical = ({ intent, slots }: { intent: string; slots: object }): string => {
  const entries = Object.entries(slots).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(String).toSorted((a, b) => (a < b ? -1 : 1)) : value,
  ])
  return JSON.stringify([intent, Object.fromEntries(entries.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1)))])
}

/** Whether a text states a number, rounded at any decimal, as it is or in percent. */
export function states(text: string, value: number): boolean {
  const tokens = text.match(/\d(?:[\d,]*\d)?(?:\.\d+)?/g) ?? []
  return tokens.some((token) => {
    const plain = token.replaceAll(',', '')
    const decimals = plain.split('.')[1]?.length ?? 0
    const near = (wanted: number) => Math.abs(Number(plain) - Math.abs(wanted)) <= 0.5 * 10 ** -decimals + 1e-9
    return near(value) || near(value * 100)
  })
}

import { askQuestion, readQuestions, type Outcome } from '#test/api/chat/evaluate.ts'
import { startFixedMart } from '#test/api/chat/fixed_mart.ts'
import { readRows, wrongNumbers } from '#test/api/chat/wrong_numbers.ts'

/**
 * `npx tsx scripts/chat/questions.ts [known|held_back …]` asks the questions with known answers over the fixed mart,
 * and prints right intents, right plans, missing figures and figures of other entities. `--wrong` lists each wrong
 * plan.
 */
const given = process.argv.slice(2)
const isVerbose = given.includes('--wrong')
const names = given.filter((one) => !one.startsWith('--'))

const service = await startFixedMart()
const snapshot = service.marts.current('pulse', 'scores')
if (!snapshot) throw new Error('marts: no snapshot; expected the fixed mart')
const rows = await readRows(snapshot)
try {
  for (const name of names.length > 0 ? names : ['known', 'held_back']) {
    const outcomes: Outcome[] = []
    for (const question of await readQuestions(name)) outcomes.push(await askQuestion(service, question))
    report(name, outcomes)
  }
} finally {
  await service.stop()
}

function report(name: string, outcomes: readonly Outcome[]): void {
  const all = new Set(outcomes.map(({ question }) => question.intent))
  const percent = (n: number, of: number) => `${n} of ${of} (${((100 * n) / of).toFixed(1)} %)`
  const count = (of: readonly Outcome[], is: (one: Outcome) => boolean) => of.filter(is).length
  console.log(`${name}: ${outcomes.length} questions`)
  for (const intent of [...all].sort()) {
    const own = outcomes.filter(({ question }) => question.intent === intent)
    const right = percent(
      count(own, (one) => one.isPlanRight),
      own.length,
    )
    console.log(`  ${intent.padEnd(14)} intent ${count(own, (one) => one.isIntentRight)}, intent and slots ${right}`)
  }
  console.log(
    `  intent ${percent(
      count(outcomes, (one) => one.isIntentRight),
      outcomes.length,
    )}`,
  )
  console.log(
    `  intent and slots ${percent(
      count(outcomes, (one) => one.isPlanRight),
      outcomes.length,
    )}`,
  )
  console.log(`  right plans that lack a figure: ${count(outcomes, (one) => one.missingNumbers.length > 0)}`)
  const wrong = outcomes.flatMap(({ answer }) => wrongNumbers(answer, rows))
  console.log(`  figures of other entities: ${wrong.length}${wrong.map((one) => `\n    ${one}`).join('')}`)
  if (!isVerbose) return
  for (const { question, plan, isPlanRight, missingNumbers, answer } of outcomes) {
    if (!isPlanRight)
      console.log(
        `- ${question.question}\n    expected ${question.intent} ${JSON.stringify(question.slots)}\n    got      ${plan}`,
      )
    if (missingNumbers.length > 0)
      console.log(
        `- ${question.question}\n    lacks ${missingNumbers.join(', ')}\n    ${answer.replaceAll('\n', '\n    ')}`,
      )
  }
}

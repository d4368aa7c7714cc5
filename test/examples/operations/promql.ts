import type { SyntaxNode } from '@lezer/common'
import { parser } from '@prometheus-io/lezer-promql'

import type { Sample, Scrape } from './scrape.ts'

type Vector = Sample[]
type Value = number | Vector

/**
 * The value of a PromQL expression over scrapes, at the instant of the last one. It has the part of the language that
 * the rules use; anything else is an error. `increase` and `rate` are not extrapolated.
 */
export function evaluate(expression: string, scrapes: readonly Scrape[]): Vector {
  const value = valueOf(treeOf(expression), { text: expression, scrapes })
  return typeof value === 'number' ? [{ labels: {}, value }] : value
}

/** The names of the metrics of an expression. Throws where its syntax is wrong. */
export function metricNames(expression: string): string[] {
  const names: string[] = []
  treeOf(expression)
    .cursor()
    .iterate(({ name, node }) => {
      if (name === 'VectorSelector') names.push(textOf(node.getChild('Identifier') ?? node, { text: expression }))
    })
  return names
}

function treeOf(expression: string): SyntaxNode {
  const tree = parser.parse(expression)
  tree.iterate({
    enter: ({ type, from }) => {
      if (type.isError) throw new Error(`${expression}: wrong syntax at ${from}`)
    },
  })
  const root = tree.topNode.firstChild
  if (root === null) throw new Error('expression: empty')
  return root
}

type Context = { text: string; scrapes: readonly Scrape[] }

const textOf = ({ from, to }: SyntaxNode, { text }: Pick<Context, 'text'>): string => text.slice(from, to)
const childrenOf = (node: SyntaxNode): SyntaxNode[] => {
  const children: SyntaxNode[] = []
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child)
  return children
}

function valueOf(node: SyntaxNode, context: Context): Value {
  switch (node.name) {
    case 'NumberDurationLiteral':
      return Number(textOf(node, context))
    case 'ParenExpr':
      return valueOf(childOf(node, 0), context)
    case 'VectorSelector':
      return select(node, context, context.scrapes.at(-1)?.samples ?? [])
    case 'FunctionCall':
      return callOf(node, context)
    case 'AggregateExpr':
      return sumOf(node, context)
    case 'BinaryExpr':
      return binaryOf(node, context)
    default:
      throw new Error(`${textOf(node, context)}: ${node.name} is not evaluated here`)
  }
}

function childOf(node: SyntaxNode, n: number): SyntaxNode {
  const child = childrenOf(node)[n]
  if (child === undefined) throw new Error(`${node.name}: no child ${n}`)
  return child
}

function select(node: SyntaxNode, context: Context, samples: readonly Sample[]): Vector {
  const name = textOf(childOf(node, 0), context)
  const matchers = (node.getChild('LabelMatchers')?.getChildren('UnquotedLabelMatcher') ?? []).map((matcher) => {
    const [label, operator, literal] = childrenOf(matcher).map((child) => textOf(child, context))
    return { label: label ?? '', operator: operator ?? '', value: JSON.parse(literal ?? '""') as string }
  })
  return samples.filter(
    ({ labels }) =>
      labels['__name__'] === name &&
      matchers.every(({ label, operator, value }) => {
        const text = labels[label] ?? ''
        const isEqual = operator.endsWith('~') ? new RegExp(`^(?:${value})$`).test(text) : text === value
        return operator.startsWith('!') ? !isEqual : isEqual
      }),
  )
}

const seconds = { s: 1, m: 60, h: 3_600 } as const
const keyOf = (labels: Sample['labels']): string =>
  JSON.stringify(Object.entries(labels).toSorted(([a], [b]) => (a < b ? -1 : 1)))
const unnamed = ({ labels: { __name__: _, ...labels }, value }: Sample): Sample => ({ labels, value })

function callOf(node: SyntaxNode, context: Context): Value {
  const name = textOf(childOf(node, 0), context)
  const last_s = context.scrapes.at(-1)?.at_s ?? 0
  if (name === 'time') return last_s
  if (name !== 'increase' && name !== 'rate') throw new Error(`${name}: not evaluated here`)
  const matrix = childOf(childOf(node, 1), 0)
  const [, n = '0', unit = 's'] = /\[(\d+)([smh])\]$/.exec(textOf(matrix, context)) ?? []
  const window_s = Number(n) * seconds[unit as keyof typeof seconds]
  const series = new Map<string, { labels: Sample['labels']; last: number; increase: number }>()
  for (const { at_s, samples } of context.scrapes) {
    if (at_s < last_s - window_s) continue
    for (const { labels, value } of select(childOf(matrix, 0), context, samples)) {
      const before = series.get(keyOf(labels)) ?? { last: value, increase: 0 }
      // A lower value is that of a counter that began again.
      const step = value < before.last ? value : value - before.last
      series.set(keyOf(labels), { labels, last: value, increase: before.increase + step })
    }
  }
  const divisor = name === 'rate' ? window_s : 1
  return [...series.values()].map(({ labels, increase }) => unnamed({ labels, value: increase / divisor }))
}

function sumOf(node: SyntaxNode, context: Context): Vector {
  if (textOf(childOf(node, 0), context) !== 'sum') throw new Error(`${textOf(node, context)}: not evaluated here`)
  const grouping = node.getChild('AggregateModifier')?.getChild('GroupingLabels')
  const by = childrenOf(grouping ?? node)
    .filter(({ name }) => name === 'LabelName')
    .map((label) => textOf(label, context))
  const body = node.getChild('FunctionCallBody')
  const values = body === null ? 0 : valueOf(childOf(body, 0), context)
  if (typeof values === 'number') throw new Error(`${textOf(node, context)}: no vector`)
  const sums = new Map<string, Sample>()
  for (const { labels, value } of values) {
    const group = Object.fromEntries(by.map((label) => [label, labels[label] ?? '']))
    sums.set(keyOf(group), { labels: group, value: (sums.get(keyOf(group))?.value ?? 0) + value })
  }
  return [...sums.values()]
}

const arithmetic: Record<string, (a: number, b: number) => number> = {
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '-': (a, b) => a - b,
  '+': (a, b) => a + b,
}
const comparisons: Record<string, (a: number, b: number) => boolean> = {
  '>': (a, b) => a > b,
  '<': (a, b) => a < b,
  '==': (a, b) => a === b,
  '!=': (a, b) => a !== b,
}

function binaryOf(node: SyntaxNode, context: Context): Value {
  const [left, operator, right] = [
    valueOf(childOf(node, 0), context),
    textOf(childOf(node, 1), context),
    valueOf(childOf(node, 2), context),
  ]
  if (operator === 'or') return [left, right].flat().map((sample) => asSample(sample))
  const compute = arithmetic[operator]
  const compare = comparisons[operator]
  if (compute === undefined && compare === undefined) throw new Error(`${operator}: not evaluated here`)
  if (typeof left === 'number' && typeof right === 'number') return compute?.(left, right) ?? Number.NaN
  const pairs = pairsOf(left, right)
  if (compute !== undefined) return pairs.map(([a, b, sample]) => unnamed({ ...sample, value: compute(a, b) }))
  return pairs.filter(([a, b]) => compare?.(a, b) === true).map(([, , sample]) => sample)
}

const asSample = (value: number | Sample): Sample => (typeof value === 'number' ? { labels: {}, value } : value)

/** The values that belong together, with the sample of the left side, or of the vector beside a number. */
function pairsOf(left: Value, right: Value): [number, number, Sample][] {
  if (typeof left === 'number') return vectorOf(right).map((sample) => [left, sample.value, sample])
  if (typeof right === 'number') return left.map((sample) => [sample.value, right, sample])
  const others = new Map(right.map((sample) => [keyOf(unnamed(sample).labels), sample.value]))
  return left.flatMap((sample): [number, number, Sample][] => {
    const other = others.get(keyOf(unnamed(sample).labels))
    return other === undefined ? [] : [[sample.value, other, sample]]
  })
}

const vectorOf = (value: Value): Vector => (typeof value === 'number' ? [] : value)

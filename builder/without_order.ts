/**
 * A select without its last clause, the order of its rows, for queries that need no order. An `order by` of a subquery,
 * a function, a comment or a text stays. A select with a limit is given as it is, since its order chooses its rows.
 */
export function withoutOrder(sql: string): string {
  let [depth, end] = [0, sql.length]
  for (const { 0: token, index } of sql.matchAll(tokens)) {
    if (token === '(') depth += 1
    else if (token === ')') depth -= 1
    else if (depth > 0 || isSkipped(token)) continue
    else if (!/^order/i.test(token)) return sql
    else end = index
  }
  return sql.slice(0, end)
}

/** Comments, texts and quoted names, which are skipped; parentheses; the beginnings of the clauses. */
const tokens = /--.*|\/\*[^]*?\*\/|'(?:[^']|'')*'|"(?:[^"]|"")*"|[()]|\b(?:order\s+by|limit|offset)\b/gi

const isSkipped = (token: string): boolean => /^(?:--|\/\*|'|")/.test(token)

/** The category that the labels of a market name; null without one. */
export const categoryOf = (labels: readonly string[]): string | null => {
  const lowerLabels = new Set(labels.map((label) => label.toLowerCase().replace(/^pop[- ]culture$/, 'culture')))
  return CATEGORIES.find((category) => lowerLabels.has(category)) ?? null
}

/** The categories of markets. If a market has labels of several, the first here counts, whatever the order of the labels. */
const CATEGORIES = [
  'sports',
  'esports',
  'crypto',
  'weather',
  'earnings',
  'finance',
  'economy',
  'elections',
  'geopolitics',
  'politics',
  'mentions',
  'tech',
  'science',
  'culture',
  'world',
  'business',
]

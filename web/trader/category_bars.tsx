import type { Category } from '#web/client/details.ts'
import { Percent, Pnl } from '#web/ui/figure.tsx'

/** The exposure by category as bars, with the result of each. */
export function CategoryBars({ categories }: { categories: readonly Category[] | null }) {
  if (categories === null) return <span class="skeleton" />
  if (categories.length === 0) return <p class="empty">No market with at least a dollar paid in.</p>
  return (
    <ul class="shares categories">
      {categories.slice(0, 8).map(({ category, cost_share, pnl, n_markets }) => (
        <li key={category} title={`${n_markets} markets`}>
          <span class="symbol">{category === '' ? 'unknown' : category}</span>
          <span class="bar" aria-hidden="true">
            <span style={{ width: `${cost_share * 100}%` }} />
          </span>
          <Percent value={cost_share} digits={0} />
          <Pnl value={pnl} />
        </li>
      ))}
    </ul>
  )
}

import type { Asset } from '#web/client/figures.ts'
import { Points } from '#web/ui/figure.tsx'

/** Assets with their share of attention as bars, its change and their tone. */
export function MindshareBars({ assets }: { assets: readonly Asset[] | null }) {
  if (assets?.length === 0) return <p class="empty">No platform was read well enough yet.</p>
  const shown = assets?.filter(({ mindshare_pct }) => mindshare_pct > 0)
  const most = Math.max(1, ...(shown ?? []).map(({ mindshare_pct }) => mindshare_pct))
  return (
    <ul class="shares" aria-busy={assets === null}>
      {assets === null &&
        Array.from({ length: 10 }, (_, i) => (
          <li key={i}>
            <span class="skeleton" />
          </li>
        ))}
      {shown?.map(({ symbol, mindshare_pct, mindshare_delta, sentiment }) => (
        <li key={symbol}>
          <a class="symbol" href={`asset?symbol=${symbol}`}>
            {symbol}
          </a>
          <span class="bar" aria-hidden="true">
            <span style={{ width: `${(mindshare_pct / most) * 100}%` }} />
          </span>
          <data class="figure" value={mindshare_pct} title={`${mindshare_pct} %`}>
            {mindshare_pct.toFixed(1)} %
          </data>
          <Points value={mindshare_delta} />
          <span class={`tone tone-${sentiment}`}>{sentiment}</span>
        </li>
      ))}
    </ul>
  )
}

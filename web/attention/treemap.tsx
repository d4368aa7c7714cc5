import { hierarchy, treemap, treemapSquarify } from 'd3-hierarchy'

import type { Asset } from '#web/client/figures.ts'
import { Points } from '#web/ui/figure.tsx'

/** The shape of the map, in units of its own: upright on a narrow screen. */
const shapeNow = (): [width: number, height: number] => (matchMedia('(width < 40rem)').matches ? [72, 80] : [160, 72])

type Node = { asset?: Asset; children?: Node[] }

/** Assets as areas of their share of attention. The colour is its change, the word its tone. */
export function Treemap({ assets }: { assets: readonly Asset[] }) {
  const [width, height] = shapeNow()
  const root = hierarchy<Node>({
    children: assets.filter(({ mindshare_pct }) => mindshare_pct > 0).map((asset) => ({ asset })),
  })
    .sum(({ asset }) => asset?.mindshare_pct ?? 0)
    .sort((a, b) => (b.value ?? 0) - (a.value ?? 0))
  const tiles = treemap<Node>().size([width, height]).tile(treemapSquarify.ratio(1.4)).paddingInner(0.4)(root).leaves()
  return (
    <ul class="treemap" aria-label="Assets by share of attention">
      {tiles.map(({ x0, x1, y0, y1, data: { asset } }) =>
        asset === undefined ? null : (
          <li
            key={asset.symbol}
            class={`tile ${changeOf(asset)} ${x1 - x0 < width / 8 || y1 - y0 < height / 5 ? 'small' : ''}`}
            style={{
              left: `${(100 * x0) / width}%`,
              top: `${(100 * y0) / height}%`,
              width: `${(100 * (x1 - x0)) / width}%`,
              height: `${(100 * (y1 - y0)) / height}%`,
            }}
          >
            <a href={`asset?symbol=${asset.symbol}`}>
              <b>{asset.symbol}</b>
              <data class="figure" value={asset.mindshare_pct}>
                {asset.mindshare_pct.toFixed(1)} %
              </data>
              <span class="tile-more">
                <Points value={asset.mindshare_delta} /> {asset.sentiment !== 'neutral' && asset.sentiment}
              </span>
            </a>
          </li>
        ),
      )}
    </ul>
  )
}

/** Changes of less than a point are no news. */
const changeOf = ({ mindshare_delta: delta }: Asset): string => (delta >= 1 ? 'up' : delta <= -1 ? 'down' : 'even')

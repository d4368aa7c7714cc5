import type { ComponentChildren } from 'preact'

import { Account } from './account_links.tsx'
import { isCurrent } from './current_page.ts'
import { Moment } from './moment.tsx'
import { SearchBox } from './search_box.tsx'

type FrameProps = {
  title: string
  /** A line below the title. */
  about?: ComponentChildren
  /** Whether the content has one narrow column, as forms have. */
  isNarrow?: boolean
  /** The instant of the figures of the page. */
  asOf?: string | null
  children: ComponentChildren
}

const pages = { feed: 'Feed', markets: 'Markets', traders: 'Traders', wallets: 'Wallets', assets: 'Assets' }

/** The page around its content: navigation, search, the heading, and the instant of the figures. */
export function Frame({ title, about, isNarrow = true, asOf, children }: FrameProps) {
  return (
    <>
      <a class="skip" href="#content">
        Skip to the content
      </a>
      <header>
        <a class="brand" href="./">
          <Logo />
          Tapeline
        </a>
        <nav aria-label="Figures">
          {Object.entries(pages).map(([page, text]) => (
            <a
              key={page}
              href={page}
              aria-current={isCurrent(page) ? 'page' : isCurrent(page.slice(0, -1)) ? 'true' : undefined}
            >
              {text}
            </a>
          ))}
        </nav>
        <SearchBox />
        <Account />
      </header>
      <main id="content" tabIndex={-1} class={isNarrow ? 'narrow' : undefined}>
        <div class="title">
          <h1>{title}</h1>
          {asOf !== undefined && asOf !== null && (
            <p class="as-of">
              As of <Moment at={asOf} />
            </p>
          )}
          {about !== undefined && <p class="about">{about}</p>}
        </div>
        {children}
      </main>
      <footer>
        <a href="coverage">Coverage</a>
        <a href="docs">API documentation</a>
        <a href="docs/metrics.md">Definitions of all figures</a>
        <a href="docs/columns.md">Columns</a>
        <a href="openapi.json">OpenAPI</a>
      </footer>
    </>
  )
}

function Logo() {
  return (
    <svg class="logo" viewBox="0 0 24 24" aria-hidden="true">
      <path d="M2 17l6-7 4 4 9-10" />
      <path class="tape" d="M2 21h20" />
    </svg>
  )
}

import type { ComponentChildren } from 'preact'

import { Copied } from './copied.tsx'

type EntityHeadProps = {
  name: string
  watch: { type: 'wallets' | 'markets' | 'assets'; item: string }
  children: ComponentChildren
}

/** The name of an entity with what is true of it, and the ways to follow it. */
export function EntityHead({ name, watch: { type, item }, children }: EntityHeadProps) {
  const query = new URLSearchParams({ type, items: item }).toString()
  return (
    <div class="entity">
      <Copied name="address" text={name} isInline />
      {children}
      <a class="button" href={`watchlists?${query}`}>
        Watch
      </a>
    </div>
  )
}

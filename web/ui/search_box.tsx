import { useEffect, useId, useRef, useState } from 'preact/hooks'

import { findEntities, type Found } from '#web/client/find_entities.ts'

/** Pauses in typing after which the search asks. */
const pause_ms = 200

/**
 * A search from every page: the words of a question, an address, or the symbol of an asset. The key `/` moves there,
 * the arrows choose, and Enter opens the choice, or all markets with the words.
 */
export function SearchBox() {
  const [text, setText] = useState(new URLSearchParams(location.search).get('words') ?? '')
  const [isOpen, setOpen] = useState(false)
  const [chosen, setChosen] = useState(-1)
  const input = useRef<HTMLInputElement>(null)
  const id = useId()
  const entities = useFound(text, isOpen)
  useSlash(input)
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    const choice = entities[chosen]
    if (event.key === 'Escape') setOpen(false)
    if (step !== undefined && entities.length > 0) {
      event.preventDefault()
      setOpen(true)
      // From the field itself, up is the last one.
      setChosen((Math.max(chosen, step === 1 ? -1 : 0) + step + entities.length) % entities.length)
    } else if (event.key === 'Enter' && isOpen && choice !== undefined) {
      event.preventDefault()
      location.assign(choice.href)
    }
  }
  const isShown = isOpen && entities.length > 0
  return (
    <form class="search" role="search" action="markets" method="get" onFocusOut={(event) => leave(event, setOpen)}>
      <input
        ref={input}
        type="search"
        name="words"
        role="combobox"
        list={undefined}
        aria-label="Search markets, addresses and assets"
        aria-expanded={isShown}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={isShown && chosen >= 0 ? `${id}-${chosen}` : undefined}
        placeholder="Search markets, addresses, assets"
        autoComplete="off"
        value={text}
        maxLength={100}
        onInput={({ currentTarget: { value } }) => {
          setText(value)
          setChosen(-1)
          setOpen(true)
        }}
        onKeyDown={onKeyDown}
      />
      <ul id={id} role="listbox" aria-label="Found" hidden={!isShown}>
        {isShown &&
          entities.map(({ href, name, kind }, n) => (
            <li
              key={href}
              id={`${id}-${n}`}
              role="option"
              aria-selected={n === chosen}
              // The field keeps the focus, as it does with the arrows.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => location.assign(href)}
            >
              <span>{name}</span> <span class="soft">{kind}</span>
            </li>
          ))}
      </ul>
    </form>
  )
}

/** What the text finds, after a pause. */
function useFound(text: string, isOpen: boolean): readonly Found[] {
  const [entities, setFound] = useState<readonly Found[]>([])
  useEffect(() => {
    if (!isOpen) return undefined
    const state = { isOver: false }
    const timer = setTimeout(() => {
      // A search that fails finds nothing here; Enter opens the page of markets, which says why.
      void findEntities(text.trim()).then(
        (list) => state.isOver || setFound(list),
        () => state.isOver || setFound([]),
      )
    }, pause_ms)
    return () => {
      state.isOver = true
      clearTimeout(timer)
    }
  }, [text, isOpen])
  return entities
}

/** The key `/` moves to the search, except from a field. */
function useSlash(input: { current: HTMLInputElement | null }): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      const target = event.target instanceof HTMLElement ? event.target : null
      if (event.key !== '/' || event.ctrlKey || event.metaKey || target?.matches('input, textarea, select')) return
      event.preventDefault()
      input.current?.focus()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [input])
}

const leave = (event: FocusEvent & { currentTarget: HTMLElement }, setOpen: (isOpen: boolean) => void): void => {
  const next = event.relatedTarget
  if (!(next instanceof Node) || !event.currentTarget.contains(next)) setOpen(false)
}

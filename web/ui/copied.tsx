import { useState } from 'preact/hooks'

/** A text with a button that copies it. */
export function Copied({ name, text, isInline = false }: { name: string; text: string; isInline?: boolean }) {
  const [message, setMessage] = useState('')
  const copy = async (): Promise<void> => {
    // Browsers have no clipboard on pages without TLS, except on this machine.
    const isCopied = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    )
    setMessage(isCopied ? 'Copied' : 'Not copied: select the text instead')
  }
  if (isInline)
    return (
      <span class="copied-inline">
        <code>{text}</code>
        <button type="button" class="plain" aria-label={`Copy the ${name}`} onClick={() => void copy()}>
          {message === '' ? 'Copy' : message}
        </button>
      </span>
    )
  return (
    <div class="copied">
      <pre tabIndex={0} aria-label={`The ${name}`} role="region">
        <code>{text}</code>
      </pre>
      <button type="button" onClick={() => void copy()}>
        Copy the {name}
      </button>{' '}
      <span role="status">{message}</span>
    </div>
  )
}

import type { InputHTMLAttributes } from 'preact'
import { useId } from 'preact/hooks'

type FieldProps = InputHTMLAttributes & { name: string; label: string; hint?: string }

/** A text field with its label, and a hint that is read with it. */
export function Field({ label, hint, ...input }: FieldProps) {
  const id = useId()
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input id={id} {...described} {...input} />
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  )
}

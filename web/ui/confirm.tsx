import type { ComponentChildren } from 'preact'
import { useId, useRef } from 'preact/hooks'

import { Failure } from './notice.tsx'
import { useAction } from './use_action.ts'

type ConfirmProps = {
  /** The text of the button, and of the button that confirms. */
  label: string
  /** The thing that the action changes, for screen readers: "Revoke" is read as "Revoke key tl_live_1". */
  subject: string
  question: string
  children?: ComponentChildren
  act: () => Promise<void>
  /** Called when the dialog is closed after the action. It moves the focus where the action removes the button. */
  done?: () => void
}

/** A button whose action needs a confirmation. The dialog of the browser keeps the focus, and gives it back. */
export function Confirm({ label, subject, question, children, act, done }: ConfirmProps) {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  const { run, isBusy, error, forget } = useAction(async () => {
    await act()
    dialog.current?.close()
    done?.()
  })
  const open = (): void => {
    forget()
    dialog.current?.showModal()
  }
  return (
    <>
      <button type="button" aria-label={`${label} ${subject}`} onClick={open}>
        {label}
      </button>
      <dialog ref={dialog} aria-labelledby={id}>
        <h3 id={id}>{question}</h3>
        {children}
        <Failure message={error} />
        <div class="actions">
          <button type="button" onClick={() => dialog.current?.close()}>
            Cancel
          </button>
          <button type="button" class="danger" aria-disabled={isBusy} onClick={() => void run()}>
            {label}
          </button>
        </div>
      </dialog>
    </>
  )
}

import type { ComponentChildren } from 'preact'

/** A failure, which screen readers announce. Its element is always there, since a new live region is not announced. */
export function Failure({ message }: { message: string | null }) {
  return (
    <div role="alert" class={message === null ? 'quiet' : 'notice failure'}>
      {message !== null && <p>{message}</p>}
    </div>
  )
}

/** A change of state, which screen readers announce when they are idle. */
export function Status({ children }: { children?: ComponentChildren }) {
  return (
    <div role="status" class={isEmpty(children) ? 'quiet' : 'notice'}>
      {children}
    </div>
  )
}

const isEmpty = (children: ComponentChildren): boolean =>
  children === undefined || children === null || children === false

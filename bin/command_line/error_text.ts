import { notCreated } from './home.ts'

/**
 * The message of the error that ends a command. `database`: whether DATABASE_URL is set. Some messages of Node and of
 * databases say neither what failed nor what is expected.
 */
export function errorText(error: unknown, { database }: { database: boolean }): string {
  if (!(error instanceof Error)) return String(error)
  return textOf(error, database) ?? textOf(error.cause, database) ?? error.message
}

/** Undefined for an error whose own message is shown. */
function textOf(error: unknown, database: boolean): string | undefined {
  if (!(error instanceof Error)) return undefined
  const { syscall, path, code, message }: NodeJS.ErrnoException = error
  if (syscall === 'mkdir') return notCreated(path, code)
  const file = /Unable to open connection to local database (.+): \d+/.exec(message)?.[1]
  if (file !== undefined) return `${file}: cannot be opened; expected a file that can be written`
  // Upstreams and the Temporal server have errors of their own.
  if (database && (syscall === 'connect' || syscall === 'getaddrinfo'))
    return `DATABASE_URL: no response, ${message}; expected a PostgreSQL server`
  // PostgreSQL's classes of a wrong password, a database that does not exist, and refused rights.
  if (database && code !== undefined && /^(28|3D|42501)/.test(code))
    return `DATABASE_URL: ${message}; expected a database that its user may change`
  return undefined
}

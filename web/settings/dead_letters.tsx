import { readDeadLetters, replayDeadLetters, type DeadLetter } from '#web/client/account.ts'
import { Moment } from '#web/ui/moment.tsx'
import { Failure } from '#web/ui/notice.tsx'
import { useAction } from '#web/ui/use_action.ts'
import { useLoad } from '#web/ui/use_load.ts'

/** The messages that were given up, with the reason, and buttons that send them again. Nothing without any. */
export function DeadLetters() {
  const { data: letters, error, reload } = useLoad(readDeadLetters)
  const replay = useAction(async (chosen: { id?: number }) => {
    await replayDeadLetters(chosen)
    await reload()
  })
  if (error === null && (letters === null || letters.length === 0)) return null
  return (
    <>
      <h3>Messages that were not delivered</h3>
      <Failure message={error ?? replay.error} />
      <ul>
        {(letters ?? []).map((letter) => (
          <Letter letter={letter} replay={() => void replay.run({ id: letter.id })} key={letter.id} />
        ))}
      </ul>
      <button type="button" onClick={() => void replay.run({})}>
        Send all again
      </button>
    </>
  )
}

function Letter({ letter: { text, reason, dead_at }, replay }: { letter: DeadLetter; replay: () => void }) {
  const [title = ''] = text.split('\n')
  return (
    <li>
      {title}, given up at <Moment at={dead_at} format="time" />: {reason}{' '}
      <button type="button" onClick={replay} aria-label={`Send again: ${title}`}>
        Send again
      </button>
    </li>
  )
}

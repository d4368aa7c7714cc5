type HistoryNoteProps = { is_complete: boolean; unlisted_reason: string | null }

/** Whether the history of an address is whole, and why no leaderboard has it. */
export function HistoryNote({ is_complete, unlisted_reason }: HistoryNoteProps) {
  return (
    <span class="soft">
      {is_complete ? 'complete history' : 'incomplete history'}
      {unlisted_reason !== null && `, in no leaderboard: ${unlisted_reason}`}
    </span>
  )
}

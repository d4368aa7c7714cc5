import { sql, type Kysely } from 'kysely'

/**
 * Rows of chats name their messenger, and ids of chats are texts, which every messenger has. Messages are texts without
 * markup, whose first line is the title: the messenger formats them when it sends them. All rows so far are of Telegram,
 * and their messages are in its HTML.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db
  const messenger = 'telegram'
  await schema.dropIndex('messaging_by_chat').execute()
  for (const table of ['messaging', 'messaging_links'])
    await schema
      .alterTable(table)
      .addColumn('messenger', 'text', (column) => column.notNull().defaultTo(messenger))
      .execute()
  // SQLite changes no type of a column, and would store a text of digits in the old one as a number.
  await schema.alterTable('messaging').addColumn('chat', 'text').execute()
  await sql`update messaging set chat = cast(chat_id as text)`.execute(db)
  await schema.alterTable('messaging').dropColumn('chat_id').execute()
  await schema.alterTable('messaging').renameColumn('chat', 'chat_id').execute()
  await schema.createIndex('messaging_by_chat').unique().on('messaging').columns(['messenger', 'chat_id']).execute()
  // Texts of markets and posts were escaped, so each tag is of the message. `&amp;` is last: it begins no other escape.
  const plain = sql.raw(
    [
      ['<b>', ''],
      ['</b>', ''],
      ['&lt;', '<'],
      ['&gt;', '>'],
      ['&amp;', '&'],
    ].reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, 'text'),
  )
  for (const table of ['firings', 'outbox']) await sql`update ${sql.table(table)} set text = ${plain}`.execute(db)
}

/** A header that mail programs write. A letter that begins with `To: support` has none of them. */
const programsHeader =
  /^(?:received|return-path|delivered-to|message-id|mime-version|content-type|x-[\w-]+):/iu

/**
 * Returns the subject and the text of an email whose source was passed, such as a file that a mail program saved. The
 * source has UUIDs of its own in its headers, and its lines may be encoded.
 *
 * @returns the text itself if it isn't the source of an email.
 */
export async function readMailText(text: string): Promise<string> {
  if (!isMailSource(text)) return text
  // Most texts aren't the source of an email.
  const { default: PostalMime } = await import('postal-mime')
  const mail = await PostalMime.parse(text)
  return [mail.subject, mail.text ?? mail.html].filter((part) => part !== undefined).join('\n')
}

/** Whether a text begins with the headers of an email. */
function isMailSource(text: string): boolean {
  const head: string[] = []
  for (const line of text.trimStart().split(/\r?\n/u)) {
    if (line === '') return head.some((header) => programsHeader.test(header))
    // A line that begins with white space continues a header. `From ` begins each email of a mailbox.
    if (!/^[\w-]+:|^\s|^From /u.test(line)) return false
    head.push(line)
  }
  return false
}

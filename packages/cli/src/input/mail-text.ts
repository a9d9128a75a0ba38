/** A header that mail programs write. A letter that begins with `To: support` has none of them. */
const programsHeader =
  /^(?:received|return-path|delivered-to|message-id|mime-version|content-type|x-[\w-]+):/iu

/** At least 12 letters, digits and hyphens, with a digit among them. */
const keyLike = /(?<![\w-])(?=[\w-]*\d)[\w-]{12}/u

/**
 * Returns what a person reads in an email: its text, or the subject and the text of its source, such as a file that a mail
 * program saved. The source has UUIDs of its own in its headers, and its lines may be encoded.
 */
export async function readMailText(text: string): Promise<string> {
  if (!isMailSource(text)) return withoutQuoteMarks(text)
  // Most texts aren't the source of an email.
  const { default: PostalMime } = await import('postal-mime')
  const { subject, text: plain, html } = await PostalMime.parse(text)
  const body = plain ?? (html === undefined ? undefined : readHtml(html))
  return withoutQuoteMarks([subject, body].filter((part) => part !== undefined).join('\n'))
}

/** Returns what is visible, unless it has no key: links and images may contain UUIDs of their own. */
function readHtml(html: string): string {
  const visible = html.replace(/<[^<>]*>/gu, ' ')
  return keyLike.test(visible) ? visible : html
}

/** Removes the `>` before the lines of a reply, which may be in the middle of a key. */
function withoutQuoteMarks(text: string): string {
  return text.replace(/^(?:>[ \t]?)+/gmu, '')
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

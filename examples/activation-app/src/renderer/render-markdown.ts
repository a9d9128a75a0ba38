import createPurify from 'dompurify'
import { Marked } from 'marked'

const marked = new Marked({ gfm: true })

/**
 * Turns Markdown into DOM that is safe to show: no script, style, frame, form or handler survives, whatever
 * HTML the note contains. Pictures are local data only, so opening a note tells nobody.
 */
export function renderMarkdown(text: string): DocumentFragment {
  return createPurify.sanitize(marked.parse(text, { async: false }), {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'button', 'textarea', 'select', 'audio', 'video', 'source'],
    FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset'],
  })
}

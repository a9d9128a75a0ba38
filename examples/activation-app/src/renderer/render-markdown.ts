import createPurify from 'dompurify'
import { Marked } from 'marked'

const marked = new Marked({ gfm: true })

/**
 * Converts Markdown into DOM that is safe to show. No script, style, frame, form or handler in a note survives. Images
 * must be local data, so opening a note sends no request.
 */
export function renderMarkdown(text: string): DocumentFragment {
  return createPurify.sanitize(marked.parse(text, { async: false }), {
    RETURN_DOM_FRAGMENT: true,
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'button', 'textarea', 'select', 'audio', 'video', 'source'],
    FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset'],
  })
}

/** Converts Markdown into the same safe content as text. */
export function markdownToHtml(text: string): string {
  const holder = document.createElement('div')
  holder.append(renderMarkdown(text))
  return holder.innerHTML
}

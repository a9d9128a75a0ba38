import { html, type TemplateResult } from 'lit/html.js'
import type { ScreenFrame } from '../screen-frame.ts'
import type { Translator } from '../translator.ts'
import { linkTemplate, type Perform } from './button-template.ts'
import { icon } from './icons.ts'

/** Help at the start, other ways at the end. */
export function footerTemplate(
  { scene: { help, footer }, isCopied }: ScreenFrame,
  { text }: Translator,
  perform: Perform,
): TemplateResult {
  const entries = help.map((entry) =>
    linkTemplate(
      isCopied && entry.action === 'copy-details' ? { ...entry, label: text('copied') } : entry,
      perform,
    ),
  )
  return html`<footer class="foot" part="footer">
    ${
      entries.length > 1
        ? html`<button class="link" part="link help-button" type="button" popovertarget="help">${text('help')}${icon('up')}</button>
            <div id="help" class="menu" part="menu" popover @beforetoggle=${placeMenu}>${entries}</div>`
        : html`<span>${entries}</span>`
    }
    ${footer.map((entry) => linkTemplate(entry, perform))}
  </footer>`
}

/** Above the button that opens it: a popover knows no other place than the window (anchors came with Chrome 125). */
function placeMenu({ currentTarget: menu }: Event): void {
  const button = menu instanceof HTMLElement ? menu.previousElementSibling : null
  if (!(menu instanceof HTMLElement) || button === null) return
  const { left, right, top } = button.getBoundingClientRect()
  const { clientWidth, clientHeight } = document.documentElement
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl'
  menu.style.insetInlineStart = `${isRightToLeft ? clientWidth - right : left}px`
  menu.style.bottom = `${clientHeight - top + 4}px`
}

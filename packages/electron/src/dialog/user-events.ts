/** What a user does in the window. */
export interface UserEvents {
  /** A button was clicked. @param action its `data-action` */
  readonly onAction: (action: string) => void
  /** The form was submitted, by its button or by Enter. */
  readonly onSubmit: () => void
  /** The user edited the field. */
  readonly onInput: () => void
  /** A text was pasted, or dropped on the field. */
  readonly onTake: (event: Event, data: DataTransfer | null) => void
  /** The field received the focus. */
  readonly onFieldFocus: () => void
  /** An entry of a list was chosen, by its id. */
  readonly onChoose: (id: string) => void
  /** The logo can't be shown. */
  readonly onLogoError: () => void
}

/** Listens at the root, so that drawn elements need no listeners of their own. */
export function listenToUser(root: ShadowRoot, events: UserEvents): void {
  const on = (type: string, selector: string, listener: (event: Event, target: HTMLElement) => void): void =>
    root.addEventListener(
      type,
      (event) => {
        const target = event.target instanceof Element ? event.target.closest<HTMLElement>(selector) : null
        if (target !== null) listener(event, target)
      },
      // Some of these events don't bubble.
      true,
    )

  on('click', '[data-action][type=button]:enabled:not([aria-disabled=true])', (_, { dataset }) =>
    events.onAction(dataset['action'] ?? ''),
  )
  on('submit', 'form', (event) => {
    event.preventDefault()
    events.onSubmit()
  })
  on('input', '#key', events.onInput)
  on('focus', '#key', events.onFieldFocus)
  on('change', '[name=row]', (_, row) => events.onChoose(row.getAttribute('value') ?? ''))
  on('error', 'image', events.onLogoError)
  on('beforetoggle', '.menu', (_, menu) => placeMenu(menu))
  on('paste', 'form', (event) => event instanceof ClipboardEvent && events.onTake(event, event.clipboardData))
  on('drop', '.box', (event) => event instanceof DragEvent && events.onTake(event, event.dataTransfer))
}

/** Positions a menu above its button. Popovers know only the viewport: anchors came with Chrome 125. */
function placeMenu(menu: HTMLElement): void {
  const { left, right, top } = menu.previousElementSibling?.getBoundingClientRect() ?? new DOMRect()
  const { clientWidth, clientHeight } = document.documentElement
  const isRightToLeft = getComputedStyle(menu).direction === 'rtl'
  menu.style.insetInlineStart = `${isRightToLeft ? clientWidth - right : left}px`
  menu.style.bottom = `${clientHeight - top + 4}px`
}

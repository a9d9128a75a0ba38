// All elements are created with these functions. Text is never parsed as markup, whatever a key is called.

/**
 * @typedef {Record<string, string | number | boolean | ((event: Event) => void)>} Properties
 */

/**
 * Creates an element. `data-…` and `aria-…` become attributes, the rest properties.
 *
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {Properties} [properties]
 * @param {...(Node | string)} children
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function element(name, properties = {}, ...children) {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(properties)) {
    if (typeof value === 'function') made.addEventListener(key, value)
    else if (key.includes('-') || key === 'role') made.setAttribute(key, String(value))
    else Reflect.set(made, key, value)
  }
  made.append(...children)
  return made
}

/**
 * Returns the element with this id.
 *
 * @template {HTMLElement} Wanted
 * @param {string} id
 * @param {new () => Wanted} type
 * @returns {Wanted}
 */
export function byId(id, type) {
  const found = document.getElementById(id)
  if (!(found instanceof type)) throw new Error(`The page has no #${id}.`)
  return found
}

/**
 * Makes `parent` show `items` in order. An item's element is kept as long as its content is the same, so it keeps the
 * keyboard focus and stays open.
 *
 * @template Item
 * @param {HTMLElement} parent
 * @param {readonly Item[]} items
 * @param {(item: Item) => string} idOf
 * @param {(item: Item) => HTMLElement} render
 */
export function show(parent, items, idOf, render) {
  const present = new Map(elementsOf(parent).map((child) => [child.dataset['id'], child]))
  const focused =
    document.activeElement instanceof HTMLElement ? document.activeElement.dataset['focus'] : undefined
  const wanted = items.map((item) => {
    const id = idOf(item)
    const content = JSON.stringify(item)
    const old = present.get(id)
    if (old && old.dataset['content'] === content) return old
    const fresh = render(item)
    fresh.dataset['id'] = id
    fresh.dataset['content'] = content
    if (!old && parent.dataset['shown']) fresh.classList.add('is-new')
    if (old?.querySelector('details')?.open) fresh.querySelector('details')?.setAttribute('open', '')
    return fresh
  })
  parent.dataset['shown'] = 'true'
  wanted.forEach((child, index) => {
    if (parent.children[index] !== child) parent.insertBefore(child, parent.children[index] ?? null)
  })
  while (parent.children.length > wanted.length) parent.lastElementChild?.remove()
  if (focused === undefined || document.activeElement !== document.body) return
  const again = elementsOf(parent, '[data-focus]').find((child) => child.dataset['focus'] === focused)
  again?.focus()
}

/**
 * @param {HTMLElement} parent
 * @param {string} [selector]
 * @returns {HTMLElement[]}
 */
function elementsOf(parent, selector = ':scope > *') {
  return [...parent.querySelectorAll(selector)].filter((child) => child instanceof HTMLElement)
}

import { type Content, type DrawnElement, flatten } from './element.ts'

/**
 * Updates a node's children to match a description. Matching nodes stay in place and keep their focus, selection and
 * text; only the others are replaced. The markup that the page was served with is reused in the same way.
 */
export function draw(parent: Element | ShadowRoot, content: readonly Content[]): void {
  let next = parent.firstChild
  const removeUntil = (end: ChildNode | null): void => {
    while (next !== end) {
      const node = next
      next = node?.nextSibling ?? null
      node?.remove()
    }
  }
  for (const item of flatten(content)) {
    let node = next
    while (node !== null && !fits(node, item)) node = node.nextSibling
    if (node === null) node = parent.insertBefore(create(parent, item), next)
    else {
      removeUntil(node)
      next = node.nextSibling
    }
    if (node instanceof Element && typeof item !== 'string') update(node, item)
    else if (node.nodeValue !== item) node.nodeValue = String(item)
  }
  removeUntil(null)
}

/** Whether a node can become an item. Its tag and its first class identify its purpose. */
function fits(node: ChildNode, item: string | DrawnElement): boolean {
  if (typeof item === 'string') return node.nodeType === 3
  return (
    node instanceof Element &&
    node.localName === item.tag &&
    kindOf(node.getAttribute('class')) === kindOf(item.attributes['class'] ?? null)
  )
}

function kindOf(names: string | null): string | undefined {
  return names?.split(' ')[0]
}

function create(parent: Element | ShadowRoot, item: string | DrawnElement): ChildNode {
  if (typeof item === 'string') return document.createTextNode(item)
  const { tag } = item
  return tag === 'svg' || parent instanceof SVGElement
    ? document.createElementNS('http://www.w3.org/2000/svg', tag)
    : document.createElement(tag)
}

function update(node: Element, { attributes, content }: DrawnElement): void {
  for (const name of node.getAttributeNames()) {
    // Only scripts set inline styles: they position an open menu.
    if (name !== 'style' && (attributes[name] ?? null) === null) node.removeAttribute(name)
  }
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== node.getAttribute(name)) node.setAttribute(name, value)
  }
  // The attribute is only a radio button's initial value.
  if (node instanceof HTMLInputElement) node.checked = attributes['checked'] === ''
  draw(node, content)
}

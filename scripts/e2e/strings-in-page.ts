import type { Page } from 'playwright'

/** Every text that a page's own code can read: globals, DOM with open shadow roots, field values, storage. */
export async function stringsInPage(page: Page): Promise<string> {
  return await page.evaluate(async () => {
    const found: string[] = []
    const seen = new Set<object>()

    const walkValue = (value: unknown, depth: number): void => {
      if (typeof value === 'string') found.push(value)
      if (typeof value === 'function') found.push(String(value))
      if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return
      if (seen.has(value) || depth > 6 || value instanceof Node) return
      seen.add(value)
      for (const name of Object.getOwnPropertyNames(value)) {
        found.push(name)
        try {
          const inner: unknown = Reflect.get(value, name)
          // Some of the browser's getters reject when they are read from a prototype.
          if (inner instanceof Promise) inner.catch(() => {})
          walkValue(inner, depth + 1)
        } catch {
          // Some of the browser's getters throw. They contain none of our data.
        }
      }
    }

    const walkTree = (root: Document | ShadowRoot): void => {
      for (const element of root.querySelectorAll('*')) {
        found.push(...Array.from(element.attributes, ({ value }) => value))
        if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement)
          found.push(element.value)
        for (const child of element.childNodes) if (child instanceof CharacterData) found.push(child.data)
        if (element.shadowRoot) walkTree(element.shadowRoot)
      }
    }

    walkValue(window, 0)
    walkTree(document)
    found.push(JSON.stringify(localStorage), JSON.stringify(sessionStorage), document.cookie)
    for (const { src } of document.scripts) if (src !== '') found.push(src)
    return found.join('\n')
  })
}

/** Attributes by name; `null` omits one. */
export type Attributes = Readonly<Record<string, string | null>>

/** An element as data, to draw into a document or write as HTML. Its texts are never parsed as markup. */
export interface DrawnElement {
  readonly tag: string
  readonly attributes: Attributes
  readonly content: readonly Content[]
}

/** What an element can contain; `null` is nothing. */
export type Content = string | DrawnElement | null | readonly Content[]

/** Creates the description of an element. */
export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): DrawnElement {
  return { tag, attributes, content }
}

/** Returns the value of a boolean attribute. */
export function flag(isSet: boolean): string | null {
  return isSet ? '' : null
}

/** Returns content as a flat list without empty items. Adjacent texts are joined, as in HTML. */
export function flatten(content: readonly Content[]): readonly (string | DrawnElement)[] {
  const flat: (string | DrawnElement)[] = []
  const add = (item: Content): void => {
    const last = flat.at(-1)
    if (isList(item)) item.forEach(add)
    else if (typeof item === 'string' && typeof last === 'string') flat.splice(-1, 1, last + item)
    else if (item) flat.push(item)
  }
  content.forEach(add)
  return flat
}

function isList(content: Content): content is readonly Content[] {
  return Array.isArray(content)
}

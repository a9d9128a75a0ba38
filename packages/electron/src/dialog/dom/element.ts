/** Attributes by name; `null` leaves one out. */
export type Attributes = Readonly<Record<string, string | null>>

/** An element as data, to be drawn into a document or written as HTML. Its texts are never read as markup. */
export interface DrawnElement {
  readonly tag: string
  readonly attributes: Attributes
  readonly content: readonly Content[]
}

/** What an element contains; `null` is nothing. */
export type Content = string | DrawnElement | null | readonly Content[]

/** Describes an element. */
export function element(tag: string, attributes: Attributes, ...content: readonly Content[]): DrawnElement {
  return { tag, attributes, content }
}

/** Value of an attribute that is either there or not. */
export function flag(isSet: boolean): string | null {
  return isSet ? '' : null
}

/** Content as a flat list without what is empty; texts side by side become one, as they do in HTML. */
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

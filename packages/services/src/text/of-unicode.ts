/**
 * Returns the part of a pattern that matches the characters with a property of Unicode. V8 takes a third of a
 * millisecond for it in a literal, at every launch, so a pattern with it is put together when it is needed. Minifiers
 * make a literal of `new RegExp` with a constant text.
 */
export function ofUnicode(property: string): string {
  return `\\p{${property}}`
}

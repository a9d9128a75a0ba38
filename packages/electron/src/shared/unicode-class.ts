/**
 * Returns the part of a pattern that matches the characters of a class of Unicode, such as `L`.
 *
 * V8 takes a fraction of a millisecond for each class in a literal, at every launch, even if the code is never called.
 * Minifiers make a literal of `new RegExp` with a constant text. So code that a launch loads puts such a pattern together
 * when it is needed.
 */
export function unicodeClass(name: string): string {
  return `\\p{${name}}`
}

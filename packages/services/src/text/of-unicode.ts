/**
 * Returns the part of a pattern that matches the characters with a property of Unicode. V8 takes a third of a
 * millisecond for it in a literal, at every launch, so a pattern with it is put together when it is needed. Minifiers
 * make a literal of `new RegExp` with a constant text.
 */
export function ofUnicode(property: string): string {
  return `\\p{${property}}`
}

/**
 * Returns the part of a character class that matches letters of scripts with upper case, and their accents. Many of the
 * other scripts, such as Chinese and Thai, write sentences without spaces, also before and after a key.
 */
export function casedLetters(): string {
  return `${ofUnicode('LC')}\u0300-\u036f`
}

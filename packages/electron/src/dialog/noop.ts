/** Does nothing. */
export function noop(): void {}

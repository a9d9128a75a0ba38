/** Where Latchkey tells the developer what it does. `console` and electron-log fit as they are. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

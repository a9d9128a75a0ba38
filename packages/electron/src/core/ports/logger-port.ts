/** Where Latchkey logs what it does. `console` and electron-log both fit. */
export interface Logger {
  debug(message: string): void
  info(message: string): void
  warn(message: string): void
  error(message: string): void
}

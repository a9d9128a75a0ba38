import type { Logger } from '../../src/core/ports.ts'

/** A logger that keeps its lines. */
export interface RecordingLogger extends Logger {
  /** Every line, as `level message`, in order. */
  readonly lines: readonly string[]
}

/** Makes a logger whose lines a test can look at. */
export function createRecordingLogger(): RecordingLogger {
  const lines: string[] = []
  const keep = (level: string) => (message: string) => {
    lines.push(`${level} ${message}`)
  }
  return { lines, debug: keep('debug'), info: keep('info'), warn: keep('warn'), error: keep('error') }
}

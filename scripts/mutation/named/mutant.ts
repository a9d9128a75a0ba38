/** One deliberate mistake that a named test has to notice. */
export interface Mutant {
  /** What goes wrong, as a user would say it. */
  readonly name: string
  /** File of the mistake, from the repository's root. */
  readonly file: string
  /** Text that occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  /** Test files that are run, as Vitest's filters. */
  readonly tests: readonly string[]
  /** Vitest project that has them. @default 'unit' */
  readonly project?: 'unit' | 'e2e'
}

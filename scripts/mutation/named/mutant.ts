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
  /** Part of the names of the tests that are run. @default all of these files */
  readonly only?: string
  /** The package in `packages` whose `dist` the tests use: it is built with the mistake in it. @default none */
  readonly builds?: string
  /** Vitest project that has them. @default 'unit' */
  readonly project?: 'unit' | 'e2e'
  /** Why no test can notice it. A run doesn't fail because of it. @default some test notices it */
  readonly survivesBecause?: string
}

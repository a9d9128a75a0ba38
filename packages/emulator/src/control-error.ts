/** A control verb that could not be carried out. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const
  /** `not-found`: no such license or key. `invalid`: the input does not fit. */
  readonly code: 'not-found' | 'invalid'

  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Thrown if a control operation can't be carried out. */
export class ControlError extends Error {
  override readonly name = 'ControlError' as const
  /** `not-found`: the license, key or fault doesn't exist. `invalid`: the input doesn't match its schema. */
  readonly code: 'not-found' | 'invalid'

  constructor(code: ControlError['code'], message: string) {
    super(message)
    this.code = code
  }
}

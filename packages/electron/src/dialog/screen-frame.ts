import type { SessionView } from './activation-session.ts'
import type { Hint } from './hint-of.ts'
import type { Scene } from './scene.ts'

/** Everything on the screen at one moment. */
export interface ScreenFrame {
  readonly scene: Scene
  readonly view: SessionView
  readonly hint: Hint
  /** The key that stands in the empty field as a token, masked; `null` for none. */
  readonly token: string | null
  /** The chosen entry of the list; `null` for none. */
  readonly chosenId: string | null
  /** Whether the details for support were just copied. */
  readonly isCopied: boolean
}

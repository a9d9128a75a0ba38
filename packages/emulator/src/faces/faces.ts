import { commerceFace } from './commerce/commerce-face.ts'
import { dodoFace } from './dodo/dodo-face.ts'
import type { Face, FaceName } from './face.ts'
import { keygenFace } from './keygen/keygen-face.ts'
import { lemonSqueezyFace } from './lemon-squeezy/lemon-squeezy-face.ts'
import { polarFace } from './polar/polar-face.ts'

/** Every face, by name. */
export const faces: Readonly<Record<FaceName, Face>> = {
  commerce: commerceFace,
  dodo: dodoFace,
  keygen: keygenFace,
  'lemon-squeezy': lemonSqueezyFace,
  polar: polarFace,
}

import { adaptations } from './adaptations.ts'
import { controls } from './controls.ts'
import { layout } from './layout.ts'
import { lists } from './lists.ts'
import { theme } from './theme.ts'

/** All styles of the screen. */
export const styles: string = theme + layout + controls + lists + adaptations

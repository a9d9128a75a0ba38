import { showMainWindow } from '../../../examples/activation-app/src/main/main-window.ts'
import { startNotebook } from './notebook.ts'

// The notebook without a license check: the baseline of every row.

startNotebook({ open: showMainWindow })

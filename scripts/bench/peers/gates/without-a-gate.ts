import { showMainWindow } from '../../../../examples/activation-app/src/main/main-window.ts'
import { prepareApp } from '../../../../examples/activation-app/src/main/prepare-app.ts'
import { quitWithLastWindow } from './notebook.ts'

// The notebook without a license check: the baseline of every row.

quitWithLastWindow()
void prepareApp().then((mayGoOn) => (mayGoOn ? showMainWindow() : undefined))

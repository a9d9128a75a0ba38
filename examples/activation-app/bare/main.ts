import { app } from 'electron'
import { showMainWindow } from '../src/main/main-window.ts'
import { prepareApp } from '../src/main/prepare-app.ts'

// The notebook without Latchkey: the baseline of the launch benchmark.
void prepareApp().then((mayGoOn) => (mayGoOn ? showMainWindow() : undefined))
app.on('window-all-closed', () => app.quit())

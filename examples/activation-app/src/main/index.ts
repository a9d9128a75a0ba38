import { createLicensing } from '@latchkey/electron/main'
import { app } from 'electron'
import logo from './logo.svg?inline'
import { showMainWindow } from './main-window.ts'
import { prepareApp } from './prepare-app.ts'
import { serviceFromEnvironment } from './service-from-environment.ts'

const licensing = createLicensing({
  appId: 'com.example.inkwell',
  ...serviceFromEnvironment(),
  deepLinkScheme: 'inkwell',
  window: { logo, accent: '#35499f' },
})

void prepareApp().then((mayGoOn) => {
  if (mayGoOn) licensing.gate({ whenEntitled: showMainWindow })
})

// Whoever loses the license later keeps the window, with notes that can be read, and is asked for a key beside it.
licensing.subscribe((state, previous) => {
  if (!previous.entitled || state.entitled) return
  licensing.gate({ whenEntitled: showMainWindow, whenDismissed: () => {} })
})

app.on('window-all-closed', () => app.quit())

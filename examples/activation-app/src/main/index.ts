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
  // If the license is lost later, the notes stay open and readable, and the user is asked for a key beside them.
  if (mayGoOn) licensing.gate({ whenEntitled: showMainWindow })
})

app.on('window-all-closed', () => app.quit())

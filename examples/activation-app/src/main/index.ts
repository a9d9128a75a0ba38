import { createLicensing } from '@latchkey/electron/main'
import { app, Menu } from 'electron'
import { includedFeatures } from './included-features.ts'
import logo from './logo.svg?inline'
import { showMainWindow } from './main-window.ts'
import { prepareApp } from './prepare-app.ts'
import { serveExport } from './serve-export.ts'
import { serveUpdates } from './serve-updates.ts'
import { serviceFromEnvironment } from './service-from-environment.ts'

start().catch((error: unknown) => {
  // Electron shows an uncaught error in a dialog, but not a rejection.
  setImmediate(() => {
    throw error
  })
})
app.on('window-all-closed', () => app.quit())

async function start(): Promise<void> {
  const licensing = createLicensing({
    appId: 'com.example.inkwell',
    ...(await serviceFromEnvironment()),
    features: includedFeatures,
    deepLinkScheme: 'inkwell',
    window: { logo, accent: '#35499f' },
  })
  // An administrator's command, such as `inkwell --activate -`, opens no window.
  const exitCode = await licensing.runCommand(process.argv)
  if (exitCode !== null) return app.exit(exitCode)
  if (!(await prepareApp())) return
  // The activation window, in every state: an activated user sees the license there, or changes it.
  const license = { label: 'License…', click: () => void licensing.openActivationWindow() }
  Menu.setApplicationMenu(
    Menu.buildFromTemplate([
      ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
      { role: 'fileMenu' },
      { role: 'editMenu' },
      { role: 'viewMenu' },
      { role: 'help', submenu: [license] },
    ]),
  )
  serveExport(licensing)
  serveUpdates(licensing, process.env['INKWELL_UPDATE_FEED'])
  // If the license is lost later, the notes stay open and readable, and the user is asked for a key beside them.
  licensing.gate({ whenEntitled: showMainWindow })
}

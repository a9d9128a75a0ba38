import path from 'node:path'
import { app, BrowserWindow, Menu } from 'electron'
import { licensing } from './licensing.ts'

let mainWindow: BrowserWindow | null = null

async function openMainWindow(): Promise<void> {
  if (mainWindow !== null) return mainWindow.focus()
  mainWindow = new BrowserWindow({
    webPreferences: { preload: path.join(app.getAppPath(), 'out/preload.cjs') },
  })
  mainWindow.once('closed', () => {
    mainWindow = null
  })
  await mainWindow.loadFile('index.html')
}

const help = [{ label: 'License…', click: () => void licensing.openActivationWindow() }]
Menu.setApplicationMenu(
  Menu.buildFromTemplate([
    ...(process.platform === 'darwin' ? [{ role: 'appMenu' as const }] : []),
    { role: 'editMenu' },
    { role: 'viewMenu' },
    { role: 'help', submenu: help },
  ]),
)

// Opens the app's window if the app is licensed, and the activation window if it isn't.
void app.whenReady().then(() => licensing.gate({ whenEntitled: openMainWindow }))

app.on('window-all-closed', () => app.quit())
